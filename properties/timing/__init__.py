"""The timing properties and their verdicts (`docs/reference/semantics.md`, section 4)."""

from .catalogue import CATALOGUE
from .verifying import verify

__all__ = ["CATALOGUE", "verify"]
