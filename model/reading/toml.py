"""TOML texts, with the line of every key and errors that say what to write."""

import re
import tomllib
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import Final

import attrs

from .errors import ConfigError, Where, shown, together
from .files import name_of, text_of
from .lines import Lines, Path, scan
from .looks import refuse_other

_AT_LINE: Final = re.compile(r"^(.*) \(at (?:line ([0-9]+), column [0-9]+|end of document)\)$", re.DOTALL)
_UNQUOTED: Final = re.compile(
    r"^\s*([A-Za-z0-9_.-]+)\s*=\s*([0-9.]+\s*[A-Za-z]+[0-9A-Za-z.]*|P[T0-9][0-9A-Z]*|[A-Za-z-]+)\s*(?:#.*)?$"
)
_WORD: Final = re.compile(r"^\s*([A-Za-z0-9_.-]+)\s*[:=]?\s*$")
_TWICE: Final = "stands twice"
_COLON: Final = re.compile(r"^\s*([A-Za-z0-9_.-]+)\s*:\s*(.+?)\s*$")


# What may hold digits that are no number comes first, so that the digits in it are not looked at.
_TOKEN: Final = re.compile(
    r'"""(?:[^\\]|\\.)*?"""|\'\'\'.*?\'\'\'|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|#[^\n]*|(?P<number>[0-9][0-9_]*)',
    re.DOTALL,
)
_DIGITS_MAX: Final = 4_300  # what Python converts


_SYNTAX_ERRORS_MAX: Final = 50


@attrs.frozen(slots=True)
class Document:
    """A parsed TOML text: its data, and where each key of it stands.

    `errors` are the lines of it that are no TOML, and that could be left out, or mended, to read the others.
    """

    file: str
    data: dict[str, object]
    lines: Lines
    errors: tuple[ConfigError, ...] = ()

    def where(self, *path: str, key: str | None = None) -> Where:
        """Return the place of a path in this document."""
        return Where(self.file, self.lines.of(*path), ".".join(path) if key is None else key)


def document(path: str) -> Document:
    """Read a TOML file; raise ConfigError for whatever is wrong with it, also where it is no configuration at all.

    A line that is no TOML, as a duration without quotes, does not keep the others from being read.
    """
    text, name = text_of(path, "TOML"), name_of(path)
    try:
        data, errors = parse(text, name), ()
    except ConfigError as error:
        refuse_other(name, text, None)
        text, data, errors = _read_on(text, name, error)
    else:
        refuse_other(name, text, data)
    return Document(name, data, scan(text), errors)


def _read_on(text: str, file: str, error: ConfigError) -> tuple[str, dict[str, object], tuple[ConfigError, ...]]:
    """The text with what is no TOML mended line by line, as long as that is plain, its data, and the errors of it.

    Raises ConfigError with all that was found where a line is broken in another way: what follows it, nobody can tell.
    """
    errors = [error]
    while True:
        mended = None if len(errors) > _SYNTAX_ERRORS_MAX else _mended(text, errors)
        if mended is None:
            raise together(errors)
        text = mended
        try:
            return text, parse(text, file), tuple(errors)
        except ConfigError as another:
            errors.append(another)


def _mended(text: str, errors: Sequence[ConfigError]) -> str | None:
    """The text with the line of the last error mended, or without it; None where that is no help."""
    number = errors[-1].where.line
    lines = text.split("\n")
    if number is None or number > len(lines) or number in [one.where.line for one in errors[:-1]]:
        return None
    line = lines[number - 1]
    if unquoted := _UNQUOTED.match(line):
        name, value = unquoted.groups()
        word = value.lower()
        lines[number - 1] = f"{name} = {word}" if word in ("true", "false") else f'{name} = "{value}"'
    elif _WORD.match(line) or _COLON.match(line) or (errors[-1].what.startswith(_TWICE) and _is_whole(line)):
        lines[number - 1] = ""
    else:
        return None
    return "\n".join(lines)


def parse(text: str, file: str) -> dict[str, object]:
    """Parse a TOML text; numbers with a point stay decimals, so that 0.1 is exactly a tenth."""
    try:
        return tomllib.loads(text, parse_float=decimal)
    except tomllib.TOMLDecodeError as error:
        raise _broken(text, file, str(error)) from None
    except RecursionError:
        raise ConfigError("is nested too deeply", Where(file), "a configuration has sections and keys only") from None
    except ValueError:  # an integer of thousands of digits, the only one that the parser does not tell as its own
        raise _too_many_digits(text, file) from None


def _is_whole(line: str) -> bool:
    """Whether a line is a key with its value and nothing else, so that what follows it does not belong to it."""
    try:
        return not line.lstrip().startswith("[") and bool(tomllib.loads(line))
    except (ValueError, RecursionError):
        return False


def _too_many_digits(text: str, file: str) -> ConfigError:
    numbers = (match for match in _TOKEN.finditer(text) if match["number"])
    found = next((one for one in numbers if len(one["number"].replace("_", "")) > _DIGITS_MAX), None)
    line = None if found is None else text.count("\n", 0, found.start()) + 1
    digits = f"{_DIGITS_MAX} digits and more" if found is None else f"{len(found['number'])} digits"
    return ConfigError(f"holds an integer of {digits}", Where(file, line), "shorten the number: no key takes it")


def decimal(text: str) -> Decimal:
    """Read a TOML number with a point exactly."""
    try:
        return Decimal(text)
    except InvalidOperation:  # an exponent that no arithmetic can hold
        return Decimal("Infinity")


def _broken(text: str, file: str, message: str) -> ConfigError:
    found = _AT_LINE.match(message)
    reason = found.group(1) if found else message
    lines = text.splitlines() or [""]
    number = int(found.group(2)) if found and found.group(2) else len(lines)
    if reason.startswith(("Cannot overwrite", "Cannot declare", "Cannot mutate", "Duplicate inline")):
        twice = scan(text).twice()
        if twice is not None:
            return _given_twice(file, *twice)
    line = lines[number - 1] if number <= len(lines) else ""
    wrong = f"is not valid TOML: {reason[:1].lower()}{reason[1:]}"
    return ConfigError(f"{wrong}: {shown(line.strip())}", Where(file, number), _instead(line))


def _given_twice(file: str, path: Path, first: int, second: int) -> ConfigError:
    key = ".".join(path)
    return ConfigError(f"{_TWICE}, first in line {first}", Where(file, second, key), "keep one of the two")


def _instead(line: str) -> str:
    if (unquoted := _UNQUOTED.match(line)) and unquoted.group(2).lower() in ("true", "false"):
        return f"write it small: {unquoted.group(1)} = {unquoted.group(2).lower()}"
    if unquoted:
        return f'put quotes around it: {unquoted.group(1)} = "{unquoted.group(2)}"'
    if word := _WORD.match(line):
        return f'give it a value, such as {word.group(1)} = "15m", or leave it out'
    if colon := _COLON.match(line):
        return f"TOML has = where YAML has a colon: {colon.group(1)} = {colon.group(2)}"
    return 'write a section as [server] and a key below it as orphan_window = "15m"'
