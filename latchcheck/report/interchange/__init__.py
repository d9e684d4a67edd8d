"""Models and runs in the languages of other tools: TLA+, SMT-LIB, ITF, Mermaid, Graphviz."""

from .dot import to_dot
from .itf import to_itf
from .mermaid import to_mermaid
from .smt2 import to_smt2
from .tla import Module, to_tla

__all__ = ["Module", "to_dot", "to_itf", "to_mermaid", "to_smt2", "to_tla"]
