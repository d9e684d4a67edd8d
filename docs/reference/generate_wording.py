"""Writes the part of `wording.md` that is made from the language and the vocabularies; a test compares the two."""

from __future__ import annotations

from pathlib import Path

from latchcheck.properties.wording.examples import EXAMPLES
from latchcheck.properties.wording.models import TIMED_MUTANTS, TIMING, vocabularies
from latchcheck.wording.grammar import SIGNS
from latchcheck.wording.language import SCOPES, TEMPLATES
from latchcheck.wording.words import KINDS

PAGE = Path(__file__).parent / "wording.md"
MADE = "<!-- What follows is made by docs/reference/generate_wording.py: change the code, not this page. -->"


def page() -> str:
    """Return the text that wording.md should have."""
    lines = [
        PAGE.read_text(encoding="utf-8").partition(MADE)[0] + MADE,
        "",
        "## Scopes",
        "",
        "| form | the pattern applies | example |",
        "|---|---|---|",
    ]
    lines += [f"| `{form}` | {meaning} | {EXAMPLES[kind][1]} |" for kind, (form, meaning) in SCOPES.items()]
    lines += ["", "## Patterns", "", "| form | meaning | example |", "|---|---|---|"]
    lines += [f"| `{form}` | {meaning} | {EXAMPLES[kind][1]} |" for kind, (form, meaning) in TEMPLATES.items()]
    lines += ["", "## Comparisons", "", ", ".join(f"`{sign}`" for sign in SIGNS) + "."]
    for name, vocabulary in vocabularies().items():
        for kind in KINDS:
            words = [word for word in vocabulary.words.values() if word.kind == kind]
            if words:
                lines += ["", f"## {name}: {kind}", "", "| words | meaning |", "|---|---|"]
                lines += [f"| `{word.phrase}` | {word.meaning} |" for word in words]
    lines += ["", "## timing: the configuration that a file changes with `set`", ""]
    lines += [f"- `{key}={value}`" for key, value in TIMING.items()]
    lines += ["", "## timing: the faults", "", *(f"- `{name}`" for name in TIMED_MUTANTS), ""]
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
