"""The words that answers print, and what they mean: `explain` tells them, and every printed label has its line here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

WORDS: Final[Mapping[str, str]] = {
    # verdicts
    "proved": "For every run of the model at these numbers: a proof, without a bound on length or time.",
    "holds": "Every run within the scope that is printed beside it was searched, and none breaks it.",
    "violated": "A run that breaks it exists; it is printed, and was executed again before it was.",
    "vacuous": "Nothing that the property speaks about can happen here, so it says nothing; the reason is beside it.",
    "inconclusive": "A budget, a bound or the solver ran out, or somebody interrupted; the reason is beside it.",
    "not-applicable": "The configuration, or the scope, lacks what the property speaks about; what is missing is told.",
    # columns and labels
    "verdict": "What came out: proved, holds, violated, vacuous, inconclusive or not-applicable.",
    "property": "What must hold, by its id; `latchcheck explain ID` has its sentence, source and condition.",
    "margin": "How far the first of the knobs may still move before the verdict flips; negative, how far it must move "
    "at least. Zero is either side of the border, and the verdict says which.",
    "bound": "What the property promises to report: within how long of the event it is about, at the latest.",
    "source": "Where the sentence stands that the property formalises.",
    "fails": "The condition that is not met, worded as it must hold, with the numbers that it read.",
    "knobs": "The keys that the condition read; the margin is about the first.",
    "harm": "What the last event of the run does, in words.",
    "assumed": "What is taken for true because the configuration says nothing; state the key to have it otherwise.",
    "repair": "A smallest change after which the property holds; each was proved again, and breaks nothing that held.",
    "witness": "The run that shows the violation, event by event, each executed again by the plain stepper.",
    "replayed": "Executed again, event by event, by the plain stepper, which shares nothing with what found the run.",
    "fixture": "A run saved as JSON, to be replayed on the model or on an implementation.",
    "clause": "One named condition of a property; a violation names the one that fails.",
    "antecedent": "When a property speaks at all; where it is never reached, the property is vacuous.",
    "engine": "What decided: `smt` proves, `explicit` searches every state, `stateful` samples runs.",
    # what timelines speak of
    "silence": "How long the server has heard nothing of a task's client. A sweep that finds it longer than "
    "server.orphan_window takes the client for gone and cancels the task.",
    "backoff": "How a client's pauses between polls grow: client.initial_delay, times client.multiplier after each "
    "poll, up to client.max_delay.",
    "poll gap": "The time between two polls: the client's pause (client.max_delay at most), its jitter, lost polls and "
    "what the network takes.",
    "retention": "How long a record is kept: server.enforced_ttl, counted from server.enforced_anchor.",
    # keywords of the sentences
    "must": "An absolute requirement of the sentence (RFC 2119).",
    "should": "A requirement that leaves room for good reasons (RFC 2119).",
    "may": "A freedom that the sentence gives (RFC 2119).",
    # explore
    "scope": "The sizes within which everything was searched: how many tasks, workers, clients and rare events.",
    "policy": "Which guards the model has: `guarded` has all, a mutant lacks one.",
    "mutant": "The model with one guard left out; each property names the mutants that break it.",
    "states": "How many different states were found.",
    "transitions": "How many steps between states were taken; a step to a known state counts.",
    "depth": "How many steps the state farthest from the start is away.",
    "reached": "In how many states the antecedent held.",
    "reduction": "One order of steps that do not meet is searched and not all: fewer states, the same verdicts.",
    "symmetry": "States that differ only in which of several alike parties is which are kept as one.",
}
"""By the word in lower case."""

OTHERS: Final[Mapping[str, str]] = {
    "clauses": "clause",
    "knob": "knobs",
    "limits": "knobs",
    "what limits it": "knobs",
    "bounds": "bound",
    "hold": "holds",
    "not applicable": "not-applicable",
    "repairs": "repair",
    "run": "witness",
    "timeline": "witness",
    "trace": "witness",
    "mutants": "mutant",
    "state": "states",
    "assumptions": "assumed",
    "assumption": "assumed",
    "slack": "margin",
    "margin_ms": "margin",
    "bound_ms": "bound",
    "binding": "knobs",
    "sentence": "source",
    "heartbeat": "silence",
    "idle": "silence",
    "gap": "poll gap",
    "max poll gap": "poll gap",
    "interval": "poll gap",
}
"""Other spellings of the same, those of the JSON among them."""


def explained(word: str) -> tuple[str, str] | None:
    """The word as it is printed and what it means; None where no answer prints it."""
    known = word.strip().lower()
    known = OTHERS.get(known, known)
    return (known, WORDS[known]) if known in WORDS else None
