"""The words that a checker answers with; what each means is part of the contract: docs/reference/exit-codes.md."""

from __future__ import annotations

from typing import Literal, get_args

Verdict = Literal["proved", "holds", "violated", "vacuous", "inconclusive", "not-applicable"]

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
