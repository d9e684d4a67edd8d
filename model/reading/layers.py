"""A configuration put together from its layers, each of which may be absent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs

from ..config import Config, Origin
from ..keys import BY_FLAT
from .checks import check
from .errors import ConfigError, Faults, Where
from .options import given_by_options
from .sections import Given, sections
from .task import given_by_task
from .toml import document

if TYPE_CHECKING:
    from ..presets import Preset


def read(
    files: Sequence[str] = (),
    client: str | None = None,
    server: str | None = None,
    task: str | None = None,
    sets: Sequence[str] = (),
    *,
    below: Sequence[Sequence[Given]] = (),
    above: Sequence[Given] = (),
) -> Config:
    """Read a configuration; raise ConfigError, which says all that is wrong, where, and what to write instead.

    `files` are paths of TOML files ("-" is standard input), `client` and `server` ids of presets, `task` is
    the path of a CreateTaskResult or Task in JSON, `sets` are options of the form section.key=value.
    Each wins over those before it.
    Who reads many configurations gives what they share, read once, as files are (`below`), and what each has of its
    own, as options are (`above`).
    """
    if not (files or below or sets or above) and client is None and server is None and task is None:
        raise ConfigError("nothing is given", Where("configuration"), "give a file, a preset, a task or an option")
    faults = Faults()
    layers: list[list[Given]] = [list(layer) for layer in below]
    for file in files:
        with faults.kept():
            layers.append(given_by_file(file))
    in_files = len(below) + len(files)
    presets = _presets(client, server, faults)
    layers += [preset.given() for preset in presets]
    with faults.kept():
        layers.append([] if task is None else list(given_by_task(task)))
    with faults.kept():
        layers.append(list(given_by_options(sets)))
    layers.append(list(above))
    faults.told()  # what needs, or contradicts, another value can be seen only where each could be read

    given = {value.key.flat: value for layer in layers for value in layer}
    for preset in presets:
        for value in preset.conditional(_record(given), presets):
            if value.key.flat not in given or not _later(given[value.key.flat]):
                given[value.key.flat] = value
    given |= _taken_over(given, layers[:in_files])
    absent = {flat: origin for preset in presets for flat, origin in preset.absences().items() if flat not in given}
    config = _record(given, absent)
    check(config, given)
    return config


def shared(file: str | None, sets: Sequence[str]) -> list[list[Given]]:
    """Read once what many configurations share: a file ("-" is standard input), for `read` to take as `below`.

    The assignments are only checked, since they stand above what the configurations have of their own.
    Raises ConfigError for all that is wrong with either.
    """
    faults, found = Faults(), list[list[Given]]()
    with faults.kept():
        found += [] if file is None else [given_by_file(file)]
    with faults.kept():
        list(given_by_options(sets))
    faults.told()
    return found


def check_laid_over(client: str | None = None, server: str | None = None, sets: Sequence[str] = ()) -> None:
    """Raise ConfigError for presets and options that cannot be read, whatever they will be laid over."""
    faults = Faults()
    _presets(client, server, faults)
    with faults.kept():
        list(given_by_options(sets))
    faults.told()


def given_by_file(path: str) -> list[Given]:
    """Read a TOML file alone; raise ConfigError where it gives no key at all."""
    read_file, faults, given = document(path), Faults(), list[Given]()
    faults.add(read_file.errors)
    with faults.kept():
        given = list(
            sections(
                read_file.data,
                lambda spelled: read_file.where(*spelled),
                lambda where: Origin("file", f"{where.file}:{where.line}"),
            )
        )
    faults.in_order()
    faults.told()
    if not given:
        raise ConfigError(
            "gives no keys at all", Where(read_file.file), 'write a section and a key: [server] orphan_window = "15m"'
        )
    return given


def _presets(client: str | None, server: str | None, faults: Faults) -> list[Preset]:
    if client is None and server is None:
        return []
    from ..presets import load  # only where a preset is named: the loader costs time to import

    presets = []
    if client is not None:
        with faults.kept():
            presets.append(load("client", client))
    if server is not None:
        with faults.kept():
            presets.append(load("server", server))
    return presets


def _taken_over(given: dict[str, Given], files: Sequence[Sequence[Given]]) -> dict[str, Given]:
    """The values of presets that stand where a file has another one, their origins telling so."""
    written = {value.key.flat: value for layer in files for value in layer}
    found = {}
    for flat, value in given.items():
        old = written.get(flat)
        if value.origin.kind == "preset" and old is not None and old.value != value.value:
            over = Config().replace({flat: old.value}).flat()[flat], old.origin.where
            found[flat] = attrs.evolve(value, origin=attrs.evolve(value.origin, over=over))
    return found


def _later(given: Given) -> bool:
    """Whether a layer above the presets gave the value."""
    return given.origin.kind in ("task", "set")


def _record(given: dict[str, Given], absent: dict[str, Origin] | None = None) -> Config:
    origins = {flat: Origin("default", "default") for flat in BY_FLAT}
    origins |= absent or {}
    origins |= {flat: value.origin for flat, value in given.items()}
    values = {flat: value.value for flat, value in given.items()}
    return attrs.evolve(Config().replace(values), origins=origins)
