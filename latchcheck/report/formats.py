"""The formats that a verb offers beside text and JSON, by name, each made from the same findings."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from .findings import Findings

FORMATS = {
    "sarif": ".sarif",
    "junit": ".junit",
    "github": ".github",
    "markdown": ".markdown",
    "jsonl": ".jsonl",
    "html": ".html",
}
"""Each format and the module beside this one that writes it."""


SUMMARY = "GITHUB_STEP_SUMMARY"
"""GitHub Docs, "Workflow commands for GitHub Actions": the file that the summary of a job is appended to."""


def shown(form: str, asked: Sequence[Findings]) -> str:
    """All answers in one document of a format, ending in a line end.

    With `github` the same answers are appended in Markdown to the summary of the job, where there is a job.
    Raises OSError where that cannot be written.
    """
    if form == "github" and os.environ.get(SUMMARY):
        with Path(os.environ[SUMMARY]).open("a", encoding="utf-8") as summary:
            summary.write(shown("markdown", asked))
    return import_module(FORMATS[form], __package__).dump(asked) + "\n"
