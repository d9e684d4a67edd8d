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
    parts = [HEAD]
    for names, command in _commands((), group):
        title = " ".join(("latchcheck", *names))
        parts.append(f"\n## `{title}`\n\n```text\n{_help(title, command)}\n```\n")
    return "".join(parts)


def _commands(names: tuple[str, ...], command: click.Command) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield names, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from _commands((*names, name), found)


def _help(title: str, command: click.Command) -> str:
    context = click.Context(command, info_name=title, terminal_width=WIDTH, max_content_width=WIDTH)
    return "\n".join(line.rstrip() for line in command.get_help(context).splitlines())


if __name__ == "__main__":
    (HERE / "commands.md").write_text(commands_page(), encoding="utf-8")
