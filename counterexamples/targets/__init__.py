"""Targets: implementations that saved counterexamples are replayed against."""

from .errors import CannotDo, TargetCrashed, TargetError, TargetGarbage, TargetMissing, TargetTimeout
from .events import EVENTS, GONE, Answer, Call, Kind
from .protocol import WINDOWS, Clock, Opened, Session, Table, Target, table_row
from .registry import UnknownTarget, meaning, names, register, target

__all__ = [
    "EVENTS",
    "GONE",
    "WINDOWS",
    "Answer",
    "Call",
    "CannotDo",
    "Clock",
    "Kind",
    "Opened",
    "Session",
    "Table",
    "Target",
    "TargetCrashed",
    "TargetError",
    "TargetGarbage",
    "TargetMissing",
    "TargetTimeout",
    "UnknownTarget",
    "meaning",
    "names",
    "register",
    "table_row",
    "target",
]
