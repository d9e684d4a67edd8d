"""A run in the Informal Trace Format (ITF) of Apalache and Quint: JSON that lists every state.

Format: Apalache, ADR-015 "Informal Trace Format in JSON" (https://apalache-mc.org/docs/adr/015adr-trace.html).
"""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

from latchcheck.kernel import Bool, Enum, IntRange, System, Trace, Value, replay
from latchcheck.kernel.numbers import exact_text

_TYPES = {Bool: "Bool", IntRange: "Int", Enum: "Str"}


def to_itf(system: System, trace: Trace) -> str:
    """The states of a run, executed again; each but the first names the step that leads to it in its `#meta`.

    An integer is written as `{"#bigint": "7"}`.
    ITF has no fractions: one becomes `{"#unserializable": "1/3"}`, exact all the same.
    Raises NotAStep where the system does not allow the run.
    """
    states = replay(system, trace)
    entries: list[dict[str, Any]] = []
    for index, state in enumerate(states):
        meta: dict[str, Any] = {"index": index}
        if index > 0:
            step = trace.steps[index - 1]
            meta |= {"party": step.party, "action": step.action}
            meta["args"] = {name: _value(value) for name, value in step.args.items()}
            if step.at_ms is not None:
                meta["at_ms"] = _value(step.at_ms)
        entries.append({"#meta": meta, **{name: _value(value) for name, value in state.items()}})
    document = {
        "#meta": {
            "format": "ITF",
            "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
            "description": f"a run of {trace.system}, written by latchcheck",
            "varTypes": {variable.name: _TYPES.get(type(variable.domain), "Real") for variable in system.variables},
        },
        "vars": [variable.name for variable in system.variables],
        "states": entries,
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _value(value: Value) -> Any:
    if isinstance(value, bool | str):
        return value
    if isinstance(value, Fraction) and value.denominator != 1:
        return {"#unserializable": exact_text(value)}
    return {"#bigint": str(int(value))}
