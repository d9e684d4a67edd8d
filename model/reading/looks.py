"""What a file is that was given for a configuration and is none, and what to write instead."""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Final

from ..config import SECTIONS
from .errors import ConfigError, Where
from .files import STDIN, name_of

CONFIGURATION: Final = 'a configuration has sections and keys: [server] orphan_window = "15m"'
_PROSE: Final = re.compile(r"^(#{1,6} \S.*|={3,}|-{3,}|```.*|\* .*|- .*)$", re.MULTILINE)
_YAML: Final = re.compile(r"^(---|[A-Za-z_][\w-]*:( .*|\s*))$", re.MULTILINE)
_PYTHON: Final = re.compile(r"^(import \w|from \S+ import |def \w+\(|class \w+)", re.MULTILINE)
_ENVELOPE: Final = re.compile(r"latchcheck/([a-z-]+)/\d+")

SENTENCE: Final = ("a sentence with its readings", "write latchcheck wording check {}")
JSON: Final = ("JSON", CONFIGURATION)
_TABLES: Final = (
    # What stands at the top of a TOML file, what the file is, and what takes it.
    ({"readings"}, *SENTENCE),
    ({"sentence"}, *SENTENCE),
    ({"fields", "events"}, "the mapping of a log", "write latchcheck audit EVENTS.jsonl --mapping {}"),
    ({"values", "source"}, "a preset", "name it by its id, with --client or --server"),
    *(
        ({name}, "a pyproject.toml", "what its [tool.latchcheck] gives is taken without naming it")
        for name in ("project", "tool", "build-system")
    ),
)
_TEXTS: Final[tuple[tuple[Callable[[str, str], bool], str, str], ...]] = (
    # How a text that is no TOML begins or ends, what it is, and what to write.
    (lambda begins, _: begins.startswith("+++"), *SENTENCE),
    (lambda begins, _: begins.startswith("#!"), "a program", CONFIGURATION),
    (lambda begins, _: begins.startswith(("<!doctype", "<html", "<?xml")), "HTML or XML", CONFIGURATION),
    (lambda _, suffix: suffix in (".md", ".markdown"), "Markdown", CONFIGURATION),
    (lambda _, suffix: suffix == ".rst", "reStructuredText", CONFIGURATION),
    (lambda _, suffix: suffix == ".py", "a Python program", CONFIGURATION),
    (lambda _, suffix: suffix in (".yaml", ".yml"), "YAML", "write it as TOML, with = for the colon: " + CONFIGURATION),
)
_SHAPES: Final = ((_PYTHON, 1, "a Python program"), (_PROSE, 2, "Markdown"), (_YAML, 2, "YAML"))
"""Of a file whose name says nothing: lines of which so many make it likely."""
_FORMATS: Final = {
    "fixture": ("a saved counterexample", "write latchcheck replay {}"),
    "packets": ("packets", "write latchcheck admission {}"),
}


def refuse_other(file: str, text: str, data: Mapping[str, object] | None) -> None:
    """Raise ConfigError for a file that is something else: parsed into `data`, or no TOML at all (None).

    Nothing is said of what may well be a configuration with a mistake.
    """
    if data is not None and set(data) & set(SECTIONS):
        return
    found = _unparsed(file, text) if data is None else _parsed(data)
    if found is not None:
        kind, instead = found
        name = STDIN if file == name_of(STDIN) else file
        raise ConfigError(f"not a configuration (it looks like {kind})", Where(file), instead.format(name))


def _parsed(data: Mapping[str, object]) -> tuple[str, str] | None:
    return next(((kind, instead) for keys, kind, instead in _TABLES if keys <= set(data)), None)


def _unparsed(file: str, text: str) -> tuple[str, str] | None:
    begins, suffix = text.lstrip().lower(), PurePath(file).suffix.lower()
    if begins.startswith(("{", '[{"')):
        return _json(text)
    found = next(((kind, instead) for is_so, kind, instead in _TEXTS if is_so(begins, suffix)), None)
    if found is not None or suffix == ".toml":
        return found
    return next(
        ((kind, CONFIGURATION) for lines, least, kind in _SHAPES if len(lines.findall(text)) >= least),
        None,
    )


def _json(text: str) -> tuple[str, str]:
    whole = _object(text)
    if whole is None:
        line = _object(text.lstrip().partition("\n")[0])
        return ("a log", "write latchcheck audit {}") if line is not None and "event" in line else JSON
    named = whole.get("format", whole.get("schema"))
    kind = _ENVELOPE.fullmatch(named) if isinstance(named, str) else None
    if kind is not None:
        return _FORMATS.get(kind[1], (f"an answer of latchcheck, {kind[0]}", CONFIGURATION))
    if set(whole) & {"taskId", "task", "result"}:
        return "a task as a server returned it", "write latchcheck verify --task {}"
    return JSON


def _object(text: str) -> dict[str, object] | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
