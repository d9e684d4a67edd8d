"""Options that many verbs have, and what is told of a choice that there is none of."""

from __future__ import annotations

from typing import Any

import click

from .output import MANY_FORMATS, MANY_FORMATS_HELP


class OneOf(click.Choice[str]):
    """One of several words; the error names the one that is meant."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:  # noqa: ARG002 - click's signature
        """What is wrong, and what to write instead."""
        from latchcheck.naming import instead  # only when there is something to mend

        return f"there is no '{value}'\n  {instead(str(value), map(str, self.choices))}"


TEXT_OR_JSON = click.option(
    "--format", "form", type=OneOf(["text", "json"]), default="text", show_default=True, help="Text or JSON."
)
"""The formats of a verb whose answers are no verdicts on properties."""

ANY_FORMAT = click.option(
    "--format", "form", type=OneOf(MANY_FORMATS), default="text", show_default=True, help=MANY_FORMATS_HELP
)
"""The formats of a verb that decides many configurations."""

OUTPUT = click.option("-o", "--output", metavar="FILE", help="Write here instead of to stdout, whole or not at all.")
"""Where such a verb writes."""
