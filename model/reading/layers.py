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
) -> Config:
    """Read a configuration; raise ConfigError, which says all that is wrong, where, and what to write instead.

    `files` are paths of TOML files ("-" is standard input), `client` and `server` ids of presets, `task` is
    the path of a CreateTaskResult or Task in JSON, `sets` are options of the form section.key=value.
    Each wins over those before it.
    """
    if not files and client is None and server is None and task is None and not sets:
        raise ConfigError("nothing is given", Where("configuration"), "give a file, a preset, a task or an option")
    faults, below, above = Faults(), list[list[Given]](), list[list[Given]]()
    for file in files:
        with faults.kept():
            below.append(given_by_file(file))
    presets = _presets(client, server, faults)
    with faults.kept():
        above.append([] if task is None else list(given_by_task(task)))
    with faults.kept():
        above.append(list(given_by_options(sets)))
    faults.told()  # what needs, or contradicts, another value can be seen only where each could be read
    return _together(below, presets, above)


@attrs.frozen(slots=True)
class Shared:
    """What many configurations share, read once: the values of a file, and those of options."""

    file: Sequence[Given]
    sets: Sequence[Given]

    def config(self, client: str | None, server: str | None, given: Sequence[Given] = ()) -> Config:
        """Return one of them, with its presets and the values that it alone has, which win; raise ConfigError."""
        faults = Faults()
        presets = _presets(client, server, faults)
        faults.told()
        return _together([self.file], presets, [self.sets, given])


def shared(file: str | None, sets: Sequence[str]) -> Shared:
    """Read what many configurations share, the file and the options as in `read`; raise ConfigError."""
    faults, in_file, in_options = Faults(), list[Given](), list[Given]()
    with faults.kept():
        in_file += [] if file is None else given_by_file(file)
    with faults.kept():
        in_options += given_by_options(sets)
    faults.told()
    return Shared(in_file, in_options)


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


def _together(below: Sequence[Sequence[Given]], presets: Sequence[Preset], above: Sequence[Sequence[Given]]) -> Config:
    """The configuration of layers: those of files, the presets over them, and those above these."""
    given = {value.key.flat: value for layer in (*below, *(one.given() for one in presets), *above) for value in layer}
    for preset in presets:
        for value in preset.conditional(_record(given), presets):
            if value.key.flat not in given or not _later(given[value.key.flat]):
                given[value.key.flat] = value
    given |= _taken_over(given, below)
    absent = {flat: origin for preset in presets for flat, origin in preset.absences().items() if flat not in given}
    config = _record(given, absent)
    check(config, given)
    return config


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
