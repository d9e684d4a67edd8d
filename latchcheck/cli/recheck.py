"""`latchcheck recheck`: proves the theorems behind the conditions again, with the solver that is installed."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from .errors import LISTS_PROPERTIES, complain, no_such
from .options import TEXT_OR_JSON
from .output import Output

if TYPE_CHECKING:
    from latchcheck.kernel.verdict import Verdict

SCHEMA = "latchcheck/theorems/1"


@click.command(
    "recheck",
    short_help="Prove the theorems behind the verdicts again.",
    epilog="Exit code: 0 all proved, 3 a theorem is refuted (the checker's conditions are wrong), "
    "4 the solver gave up on one, or an interrupt, 2 there is no such property.",
)
@click.option("--property", "only", metavar="ID", multiple=True, help="The theorems of this property; may be repeated.")
@TEXT_OR_JSON
@click.pass_context
def command(context: click.Context, /, *, only: tuple[str, ...], form: str) -> None:
    """Prove every theorem on which the exact conditions rest, for all numbers, and say what was proved.

    A verdict of verify evaluates a condition; that the condition is the model's is what these theorems say.
    Of some lifecycle properties it is proved that no run of any length breaks them.
    """
    from latchcheck.kernel.doing import each
    from latchcheck.kernel.interrupts import INTERRUPTS, is_interrupt

    from . import wiring  # with it comes the solver, which --help does not need

    theorems = [*wiring.theorems(), *wiring.admission_theorems()]
    _check_ids(only, (*wiring.property_ids(), *wiring.lifecycle_ids(), *{one.property: 0 for one in theorems}))
    chosen = [one for one in theorems if not only or one.property in only]
    _check_chosen(only, {one.property for one in chosen})
    out, rows, interrupted = Output(None), [], False
    try:
        for theorem in each("proving", chosen, named=lambda one: one.id):
            row = proved_again(theorem)
            rows.append(row)
            if form == "text":
                out.write(out.fitted(_told(row)))
    except INTERRUPTS as error:
        if not is_interrupt(error):
            raise
        complain(f"interrupted: {len(rows)} of {len(chosen)} theorems were looked at")
        interrupted = True
    code = _exit([*(str(row["answer"]) for row in rows), *(["unknown"] if interrupted else [])])
    if form == "json":
        out.write(json.dumps({"schema": SCHEMA, "solver": _solver(), "theorems": rows, "exit": code}, indent=2) + "\n")
    else:
        out.write(_line(rows))
    context.exit(code)


def proved_again(theorem: Any) -> dict[str, object]:
    """What became of one theorem, as plain data: `failed` lists each obligation that is not proved."""
    begun = perf_counter()
    obligations, rlimit, failed, refuted = 0, 0, [], False
    for proof in theorem.prove():
        obligations += len(proof.obligations)
        rlimit += proof.rlimit
        refuted = refuted or any(one.answer == "refuted" for one in proof.failed)
        failed += [f"{proof.statement}: {one}" for one in proof.failed]
    answer = "proved" if obligations and not failed else "refuted" if refuted else "unknown"
    return {
        "id": theorem.id,
        "property": theorem.property,
        "says": theorem.says,
        "answer": answer,
        "obligations": obligations,
        "failed": failed,
        "rlimit": rlimit,
        "seconds": round(perf_counter() - begun, 3),
    }


def _check_ids(only: Sequence[str], known: Sequence[str]) -> None:
    for name in only:
        if name not in known:
            raise no_such("--property", "property", name, known, LISTS_PROPERTIES)


def _check_chosen(only: Sequence[str], proved: Collection[str]) -> None:
    for name in only:
        if name not in proved:
            instead = f"`latchcheck explore --property {name}` searches every run within a scope"
            raise click.UsageError(f"--property {name}: nothing is proved of it by induction; {instead}")


def _exit(answers: Sequence[str]) -> int:
    from latchcheck.kernel.exits import exit_code

    # A condition that its own model refutes is the checker's mistake, and no verdict can be trusted.
    cut_short: list[Verdict] = ["inconclusive"] if "unknown" in answers else []
    return exit_code(cut_short, internal_error="refuted" in answers)


def _solver() -> str:
    from latchcheck.engines.obligations import z3_version

    return f"z3 {z3_version()}"


def _told(row: dict[str, Any]) -> str:
    lines = [
        f"{row['answer']:8}  {row['id']}  ({row['property']}; {row['obligations']} obligations)",
        f"          {row['says']}",
        *(f"          not proved: {one}" for one in row["failed"]),
    ]
    return "\n".join(lines) + "\n"


def _line(rows: Sequence[dict[str, Any]]) -> str:
    proved = sum(row["answer"] == "proved" for row in rows)
    obligations = sum(row["obligations"] for row in rows)
    return f"{proved} of {len(rows)} theorems proved, {obligations} obligations, {_solver()}\n"
