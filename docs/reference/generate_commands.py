"""Writes commands.md, every verb with its own help; run it after a change of the command line. A test compares both."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from latchcheck.cli.main import group

HERE = Path(__file__).parent
MADE = "<!-- What follows is made by docs/reference/generate_commands.py: change the help, not this page. -->"
WIDTH = 100
HEAD = f"""# Commands

What each verb says of itself with `--help`.
Answers go to stdout, errors and progress to stderr.
The exit codes are in [Verdicts, exit codes and output](exit-codes.md).

{MADE}
"""


def commands_page() -> str:
    """Return the text that commands.md should have."""
    sections = (
        f"\n## `{context.command_path}`\n\n```text\n{_help(context)}\n```\n"
        for context in _contexts(group, "latchcheck", None)
    )
    return "".join([HEAD, *sections])


def _contexts(command: click.Command, name: str, parent: click.Context | None) -> Iterator[click.Context]:
    """A context for the command and for each below it, made as click makes them when they are run."""
    width = {"terminal_width": WIDTH, "max_content_width": WIDTH} if parent is None else {}
    context = click.Context(command, parent=parent, info_name=name, **{**command.context_settings, **width})
    yield context
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            assert found is not None
            yield from _contexts(found, below, context)


def _help(context: click.Context) -> str:
    return "\n".join(line.rstrip() for line in context.get_help().splitlines())


if __name__ == "__main__":
    (HERE / "commands.md").write_text(commands_page(), encoding="utf-8")
