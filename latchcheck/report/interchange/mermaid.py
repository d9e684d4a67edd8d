"""A run as a Mermaid sequence diagram: a participant a party, an arrow or a note an event."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from latchcheck.kernel import Trace
from latchcheck.kernel.errors import show
from latchcheck.kernel.numbers import exact_text
from latchcheck.kernel.telling import PLAIN, Moment, Telling, moments

_ESCAPES = str.maketrans({"#": "#35;", ";": "#59;", "<": "#lt;", ">": "#gt;", "\n": " "})


def to_mermaid(
    trace: Trace,
    *,
    title: str | None = None,
    receivers: Mapping[str, str] | None = None,
    hidden: Iterable[str] = (),
    parties: Iterable[str] = (),
    telling: Telling = PLAIN,
) -> str:
    """The diagram of a run.

    `receivers` names for an action the party it goes to, which makes it an arrow; any other event is a note over its
    party. `hidden` are variables whose changes are not shown; `parties` fixes an order for some participants.
    `telling` has words for the actions, and its quiet variables are hidden too.
    """
    given, unseen = receivers or {}, frozenset(hidden) | telling.quiet
    lines = ["sequenceDiagram"]
    if title is not None:
        lines.append(f"    title {_safe(title)}")
    names: dict[str, str] = {}
    for party in (*parties, *(one for step in trace for one in (step.party, given.get(step.action)))):
        if party is not None and party not in names:
            names[party] = f"p{len(names)}"
    lines += [f"    participant {name} as {_safe(party)}" for party, name in names.items()]
    for moment in moments(trace):
        step = moment.step
        text = _event(moment, unseen, telling)
        sender, receiver = names[step.party], names.get(given.get(step.action, ""))
        lines.append(f"    Note over {sender}: {text}" if receiver is None else f"    {sender}->>{receiver}: {text}")
    return "\n".join(lines) + "\n"


def _event(moment: Moment, hidden: frozenset[str], telling: Telling) -> str:
    step = moment.step
    args = ", ".join(f"{name}={show(value)}" for name, value in step.args.items())
    phrase = telling.phrases.get(step.action)
    words = f"{step.action}({args})" if phrase is None else phrase(moment)
    when = "" if step.at_ms is None else f"{exact_text(step.at_ms)} ms: "
    changed = [f"{name}: {show(old)} to {show(new)}" for name, (old, new) in step.changed.items() if name not in hidden]
    return "<br/>".join(_safe(line) for line in (f"{when}{words}", *changed))


def _safe(text: str) -> str:
    return text.translate(_ESCAPES)
