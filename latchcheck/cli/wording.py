"""The verb `wording`: whether a sentence holds and says anything, what it catches, and how two of them differ."""

from __future__ import annotations

import click

from .wording_check import check
from .wording_diff import diff
from .wording_each import kill, why
from .wording_words import following, new, vocabulary


@click.group("wording", short_help="Try the wording of a sentence: check, diff, kill, why.")
def command() -> None:
    """Try the wording of a normative sentence on the model.

    A property file holds the sentence, its source and one or more readings in controlled English.
    `vocabulary` lists the forms of a sentence and the words that it may use; `new` writes a file to begin with.
    """


for one in (vocabulary, new, following, check, diff, kill, why):
    command.add_command(one)
