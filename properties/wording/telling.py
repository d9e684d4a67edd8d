"""How the runs of the wording tools are told: the models' own words for their actions, and names of what changes."""

from __future__ import annotations

from typing import Final

import attrs

from latchcheck.kernel.telling import Moment, Telling
from latchcheck.wording.words import Shown

from ...model.config import Config
from ...model.telling import telling as lifecycle_telling
from ...model.timing.telling import telling as timed_telling

NAMES: Final = {
    "status": "status of {}",
    "first": "stored outcome of {}",
    "intent": "a cancel of {} is noted",
    "acked": "a cancel of {} is acknowledged",
    "marker": "a mark makes {} read cancelled",
    "expired": "the ttl of {} is over",
    "overdue": "the deadline of {} is over",
    "silent": "the client of {} is silent for too long",
    "replied": "the create reply for {} is out",
    "durable": "{} is on disk",
    "server": "server",
    "key": "outstanding key of {}",
    "letter": "answer under way to {}, for question",
    **{f"answered{key}": f"the client has answered key {key} of {{}}" for key in range(1, 5)},
    "misheard": "an answer to another question is consumed",
    "view": "what the client believes of {}",
    "reply": "answer under way about {}",
    "note1": "notification under way about {}",
    "note2": "second notification under way about {}",
    "blocked": "a tasks/result call of {} is held",
    "stopped": "the client of {} polls no more",
    "call": "call of {}",
    "alive": "{} runs",
    "knows": "handle that {} knows",
    "owner": "owner of {}",
    "observed": "{} was seen by another principal",
    "changed": "{} was changed by another principal",
    "judged": "what was made of the failure of {}",
    "orphaned": "{} is reclaimed as an orphan",
}


def _cancel(moment: Moment) -> str:
    """A cancel with the answer to it, which the changes tell."""
    said, changed = f"tasks/cancel of {moment.args.get('task', 'the task')}", moment.step.changed
    if set(changed) <= {"cancels_left"} and "applied" not in moment.args:
        return f"{said} is refused"
    if not any(name.startswith(("intent", "status", "marker")) for name in changed):
        return f"{said} is acknowledged, and changes nothing"
    noted = ", and is only noted" if moment.args.get("applied") is False else ""
    return f"{said} is acknowledged{noted}"


def _lifecycle() -> Telling:
    told = lifecycle_telling()
    return attrs.evolve(told, phrases={**told.phrases, "cancel": _cancel})


LIFECYCLE: Final = Shown(NAMES, _lifecycle())
TIMED_NAMES: Final = {
    "status": "status",
    "cause": "ended by",
    "gone": "the record is gone",
    "seen": "the client was told",
    "last_contact": "last contact",
}


def timed(config: Config) -> Shown:
    """How the runs of the timed model of a configuration are told."""
    return Shown(TIMED_NAMES, timed_telling(config))
