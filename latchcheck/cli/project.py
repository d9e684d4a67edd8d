"""`[tool.latchcheck]` in the pyproject.toml of the project one works in: defaults for the options of the verbs.

A table a verb, a key an option or an argument by its long name: `[tool.latchcheck.verify]` has `client = "..."`.
What stands on the command line wins. Files are named from the folder of the pyproject.toml.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import click
from attrs import frozen

from latchcheck.gathering import all_read

NAME, TOOL, OURS = "pyproject.toml", "tool", "latchcheck"
ASSIGNMENT = "KEY=VALUE"
FILES = ("FILE", "FOLDER", "DIR", "PATH", "CONFIG.toml", "FIXTURE", "EVENTS.jsonl")
"""What the metavar of a parameter says where it names a file."""
PATTERN = frozenset("*?[")


@frozen
class Project:
    """A pyproject.toml that speaks of latchcheck, with its tables for the verbs."""

    file: Path
    tables: Mapping[str, Any]

    def fault(self, path: tuple[str, ...], key: str | None, what: str) -> click.UsageError:
        """The error that names file, line, table and key."""
        table = ".".join((TOOL, OURS, *path))
        line = _line(self.file, (TOOL, OURS, *path, *(() if key is None else (key,))))
        place = str(self.file) if line is None else f"{self.file}:{line}"
        return click.UsageError(f"{place}: [{table}]{'' if key is None else f' {key}'}: {what}")


def find() -> Project | None:
    """The nearest pyproject.toml with a table for us, from the working directory upwards.

    Raises UsageError for one that names us and cannot be read.
    """
    try:
        here = Path.cwd()
    except OSError:  # somebody has removed it
        return None
    for folder in (here, *here.parents):
        tables = _ours(folder / NAME)
        if tables is not None:
            return Project(Path(os.path.relpath(folder / NAME)), tables)
    return None


def _ours(file: Path) -> Mapping[str, Any] | None:
    """Our tables in a file; None where it is not there or does not speak of us."""
    try:
        if not file.is_file():  # a pipe would keep us waiting
            return None
        content = file.read_bytes()
    except OSError as error:
        raise click.UsageError(f"{file}: cannot be read: {error.strerror}; --isolated leaves it alone") from error
    if OURS.encode() not in content:
        return None
    try:
        whole = tomllib.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        wrong = f"is no TOML that can be read: {error}; --isolated leaves it alone"
        raise click.UsageError(f"{os.path.relpath(file)}: {wrong}") from error
    tool = whole.get(TOOL)
    ours = tool.get(OURS) if isinstance(tool, dict) else None
    if ours is not None and not isinstance(ours, dict):
        raise Project(Path(os.path.relpath(file)), {}).fault(
            (), None, "this is a table, with one for each verb below it"
        )
    return ours


def defaults(project: Project, verbs: Iterable[str], verb: str, command: click.Command) -> dict[str, Any] | None:
    """The defaults of a verb as click takes them, by the names of its parameters; None where there are none.

    Raises UsageError for a table that no verb has, a key that is no option of the verb, a value that it does not take,
    with all of them as `every`.
    """
    known = list(verbs)
    strange = []
    for name, table in project.tables.items():
        if name not in known:
            loose = f"options stand in the table of their verb, as in [{TOOL}.{OURS}.verify]"
            what = _unknown(name, known, "verb") if isinstance(table, dict) else loose
            strange.append(project.fault((), name, what))
    ours = {name: table for name, table in project.tables.items() if name == verb}
    reads = {name: partial(_translated, project, (name,), table, command) for name, table in ours.items()}
    return all_read(click.UsageError, reads, strange).get(verb)


def _translated(project: Project, path: tuple[str, ...], table: Any, command: click.Command) -> dict[str, Any]:
    if not isinstance(table, dict):
        raise project.fault(path[:-1], path[-1], "options stand in the table of their verb: write it as a table")
    if isinstance(command, click.Group):
        verbs = command.commands
        strange = [project.fault(path, name, _unknown(name, verbs, "verb")) for name in table if name not in verbs]
        reads = {
            name: partial(_translated, project, (*path, name), below, verbs[name])
            for name, below in table.items()
            if name in verbs
        }
        return all_read(click.UsageError, reads, strange)
    known = {_key(one): one for one in command.params}
    strange, reads = [], {}
    for key, value in table.items():
        param = known.get(key.replace("_", "-"))
        if param is None:
            strange.append(project.fault(path, key, _unknown(key, known, "option")))
        elif param.name in reads:
            strange.append(project.fault(path, key, "it stands twice, once with - and once with _; keep one"))
        else:
            reads[str(param.name)] = partial(_Reader(project, path, key, param).read, value)
    return all_read(click.UsageError, reads, strange)


def _key(param: click.Parameter) -> str:
    """How a table spells a parameter: an option by its long name, an argument by its own."""
    long = [name for name in param.opts if name.startswith("--")]
    return (long[0].removeprefix("--") if long else param.name or "").replace("_", "-")


def _unknown(name: str, known: Iterable[str], kind: str) -> str:
    from latchcheck.naming import instead  # only when there is something to mend

    return f"there is no such {kind}\n  {instead(name, sorted(known))}"


@frozen
class _Reader:
    """Reads the value of one key."""

    project: Project
    path: tuple[str, ...]
    key: str
    param: click.Parameter

    def read(self, value: Any) -> Any:
        """The value as the parameter takes it, which is checked as one from the command line."""
        many = self.param.nargs == -1 or bool(getattr(self.param, "multiple", False))
        if getattr(self.param, "is_flag", False):
            if not isinstance(value, bool):
                raise self._fault("write true or false")
            return value
        if isinstance(value, dict):
            if self.param.metavar != ASSIGNMENT:
                raise self._fault("this is no table: write a text")
            value = [f"{name}={self._text(one)}" for name, one in _flat(value)]
        if isinstance(value, list) and not many:
            raise self._fault("write one text, no list")
        texts = [self._text(one) for one in (value if isinstance(value, list) else [value])]
        if any(word in (self.param.metavar or "") for word in FILES):
            texts = [path for one in texts for path in self._files(one, many=many)]
        made = texts if many else texts[0]
        context = click.Context(click.Command("-"))
        try:
            self.param.type_cast_value(context, made)
        except click.BadParameter as error:
            raise self._fault(error.message) from error
        return made

    def _text(self, value: Any) -> str:
        plain = isinstance(value, str) or (isinstance(value, int | float) and not isinstance(value, bool))
        if not plain:
            raise self._fault("write a text")
        if "\0" in str(value):
            raise self._fault("it holds a zero byte, which nothing here can take")
        return str(value)

    def _files(self, name: str, *, many: bool) -> Iterator[str]:
        """What a name stands for, seen from the working directory; a pattern stands for the files that it fits."""
        folder = self.project.file.parent
        if name == "-":
            yield name
        elif many and PATTERN & set(name) and not (folder / name).exists():
            found = sorted(folder.glob(name)) if not Path(name).is_absolute() else []
            if not found:
                raise self._fault(f"no file fits {name!r}")
            yield from map(str, found)
        # A saved counterexample of the project latchcheck goes by its id, which is no file.
        elif "FIXTURE" in (self.param.metavar or "") and not (folder / name).exists():
            yield name
        else:
            yield str(folder / name)

    def _fault(self, what: str) -> click.UsageError:
        return self.project.fault(self.path, self.key, what)


def _flat(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """The keys of a table with dots, whichever way the file nests them."""
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value


def _line(file: Path, path: tuple[str, ...]) -> int | None:
    """The line where a key stands, as far as it can be found."""
    from .wiring import toml_line  # here, as it is needed only to tell an error

    return toml_line(file.read_text(encoding="utf-8-sig"), path)
