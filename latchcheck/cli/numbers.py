"""What `repair` and `region` share: the configuration they ask about, and the keys that are named to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from . import wiring
from .errors import no_such
from .notes import note, taken_over
from .verify import Once

Command = TypeVar("Command", bound=Callable[..., Any])
WORLD = ("network.", "workload.")


def of_configuration(command: Command) -> Command:
    """The argument and the options that put one configuration together, as those of `verify` do."""
    for option in reversed(
        (
            click.argument("file", required=False, metavar="[CONFIG.toml]"),
            click.option("--client", metavar="PRESET", help="Lay a published client's defaults over it.", cls=Once),
            click.option("--server", metavar="PRESET", help="Lay a published server's defaults over it.", cls=Once),
            click.option("--set", "sets", metavar="KEY=VALUE", multiple=True, help="Set one key; each key once."),
            click.option(
                "--property", "only", metavar="ID", multiple=True, help="Ask about this property; may be repeated."
            ),
        )
    ):
        command = option(command)
    return command


def configuration(
    verb: str, file: str | None, client: str | None, server: str | None, sets: tuple[str, ...]
) -> tuple[Any, str]:
    """The configuration and its name in words; a UsageError where nothing is named."""
    if file is None and client is None and server is None and not sets:
        raise click.UsageError(f"nothing to ask about: name a configuration, as in latchcheck {verb} CONFIG.toml")
    config = wiring.read_config(file, client=client, server=server, task=None, sets=sets)
    for line in taken_over(config):
        note(line)
    named = ["standard input" if file == "-" else file, client and f"client {client}", server and f"server {server}"]
    return config, ", ".join(part for part in (*named, *sets) if part)


def number(option: str, name: str) -> str:
    """The flat name of the one key that is meant; a UsageError where there is none, or it is no duration."""
    meant = wiring.keys_meant(name)
    if not meant:
        rows = wiring.key_rows()
        raise no_such(option, "key", name, [str(row["key"]) for row in rows], "latchcheck list keys")
    if len(meant) > 1:
        paths = " or ".join(path for path, _, _ in meant)
        raise click.UsageError(f"{option} {name}: this may be one of several keys\n  write {paths}")
    ((path, flat, is_number),) = meant
    if not is_number:
        raise click.UsageError(
            f"{option} {path}: this key is no single duration; latchcheck explain {path} tells of it"
        )
    return flat


def knob(option: str, name: str) -> str:
    """The flat name of a key of the client or the server, whether a number or a mode."""
    meant = wiring.keys_meant(name)
    if len(meant) != 1:
        return number(option, name)
    ((path, flat, _),) = meant
    if flat.startswith(WORLD):
        raise click.UsageError(f"{option} {path}: what the network and the work do is nobody's to set")
    return flat
