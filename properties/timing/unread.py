"""Whether a condition reads a number at all, found by letting it meet one that cannot be read.

A condition is a plain function of the configuration. Where it comes to its outcome without an operation on the number
(no comparison, no sum, no text), it comes to the same outcome by the same steps whatever the number is.
"""

from collections.abc import Callable, Collection

import attrs

from latchcheck.model.config import Config
from latchcheck.model.timing.schedule import RampTooLong

from .analyses import ANALYSES
from .facts import Facts


class Read(Exception):
    """The number was read."""


def _refuse(*_: object, **__: object) -> object:
    raise Read


_OPERATIONS = (
    *("__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__", "__hash__", "__bool__"),
    *("__add__", "__sub__", "__mul__", "__truediv__", "__floordiv__", "__mod__", "__divmod__", "__pow__"),
    *("__radd__", "__rsub__", "__rmul__", "__rtruediv__", "__rfloordiv__", "__rmod__", "__rdivmod__", "__rpow__"),
    *("__neg__", "__pos__", "__abs__", "__invert__", "__int__", "__float__", "__index__", "__round__"),
    *("__floor__", "__ceil__", "__trunc__", "__str__", "__repr__", "__format__", "__lshift__", "__rshift__"),
    *("__and__", "__or__", "__xor__", "__rand__", "__ror__", "__rxor__", "__rlshift__", "__rrshift__"),
    *("as_integer_ratio", "bit_length", "is_integer", "conjugate", "to_bytes"),
)
_PARTS = ("numerator", "denominator", "real", "imag")

_Unreadable: Callable[[], int] = type(
    "_Unreadable", (int,), dict.fromkeys(_OPERATIONS, _refuse) | {name: property(_refuse) for name in _PARTS}
)
"""A number, to those who ask only whether there is one; each operation on it raises `Read`."""


def unread(name: str, config: Config, key: str) -> bool:
    """Whether the condition of a property does not read this key: its outcome is then the same for every number."""
    return unread_together(name, config, (key,))


def unread_together(name: str, config: Config, keys: Collection[str]) -> bool:
    """Whether the condition reads none of these keys on the way to its outcome."""
    for key in keys:
        section, _, field = key.partition(".")
        # Not by `replace`, which looks whether a ttl is "none".
        record = attrs.evolve(getattr(config, section), **{field: _Unreadable()})
        config = attrs.evolve(config, **{section: record})
    try:
        ANALYSES[name](Facts(config))
    except (Read, RampTooLong):
        return False
    return True
