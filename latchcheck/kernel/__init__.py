"""The language of models: variables, actions, systems, properties, traces, verdicts."""

from .compiling import Compiled, compile_expr
from .domains import Bool, Domain, Enum, IntRange, Real
from .errors import ModelError, NotAStep, UnsupportedExpression
from .frozen import FrozenMap, State, Value
from .records import Action, Choice, Clause, Property, Sentence, Variable
from .stepping import Stepper, execute, record, replay
from .system import System
from .trace import Step, Trace

__all__ = [
    "Action",
    "Bool",
    "Choice",
    "Clause",
    "Compiled",
    "Domain",
    "Enum",
    "FrozenMap",
    "IntRange",
    "ModelError",
    "NotAStep",
    "Property",
    "Real",
    "Sentence",
    "State",
    "Step",
    "Stepper",
    "System",
    "Trace",
    "UnsupportedExpression",
    "Value",
    "Variable",
    "compile_expr",
    "execute",
    "record",
    "replay",
]
