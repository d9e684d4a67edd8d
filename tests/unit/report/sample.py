"""Reports written by hand, for the tests of what is made of them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from attrs import frozen

from latchcheck.kernel.records import Sentence
from latchcheck.kernel.trace import Step, Trace
from latchcheck.kernel.verdict import Cost, PropertyVerdict, Repair, Report


@frozen
class SampleOrigin:
    """Where a value came from."""

    kind: str
    where: str | None
    over: tuple[object, str] | None = None


@frozen
class SampleConfig:
    """A configuration as a report sees it."""

    values: Mapping[str, object]
    origins: Mapping[str, SampleOrigin]

    def flat(self) -> Mapping[str, object]:
        """Every key with its value."""
        return self.values


CONFIG = SampleConfig(
    values={
        "client.initial_delay_ms": 1000,
        "client.multiplier": "1.5",
        "server.orphan_window_ms": 120_000,
        "server.enforced_ttl_ms": None,
        "network.latency_ms": [0, 50],
    },
    origins={
        "client.initial_delay_ms": SampleOrigin("preset", "patient-client"),
        "server.orphan_window_ms": SampleOrigin("file", "op.toml:7"),
        "network.latency_ms": SampleOrigin("set", "--set"),
    },
)

RUN = Trace(
    system="orphans",
    steps=(
        Step(at_ms=0, party="server", action="create", args={}, changed={"status": ("absent", "working")}),
        Step(at_ms=Fraction(1638400, 1000), party="client", action="send_poll", args={"k": 1}, changed={}),
        Step(
            at_ms=780_000,
            party="reaper",
            action="sweep",
            args={"lateness_ms": 0, "first": True},
            changed={"status": ("working", "cancelled"), "last_contact_ms": (Fraction(3277, 2), 780_000)},
        ),
    ),
)


def sentence(text: str) -> Sentence:
    """A sentence of the semantics page."""
    return Sentence(text=text, source="docs/reference/semantics.md", where="section 4")


VIOLATED = PropertyVerdict(
    id="no-live-orphan",
    keyword="MUST",
    verdict="violated",
    engine="smt",
    sentence=sentence("A task whose client still follows its polling schedule is never reclaimed as an orphan."),
    margin_ms=-780_000,
    clause="the orphan window, 2m, is longer than the longest silence, 15m",
    binding=("server.orphan_window_ms",),
    witness=RUN,
    repairs=(
        Repair(set={"server.orphan_window_ms": 900_000}, verified=True, cost_ms=780_000),
        Repair(
            set={"client.initial_delay_ms": 0, "network.latency_ms": (0, 5)},
            verified=False,
            cost_ms=Fraction(5, 2),
        ),
    ),
    cost=Cost(seconds=0.0125, rlimit=1234),
)
PROVED = PropertyVerdict(
    id="orphans-found-in-time",
    keyword="MUST",
    verdict="proved",
    engine="smt",
    sentence=sentence("An abandoned task is reclaimed within a stated bound, and that bound is reported."),
    margin_ms=720_000,
    binding=("server.orphan_bound_ms",),
    bound_ms=1_080_000,
)
HOLDS = PropertyVerdict(
    id="hint-honoured",
    keyword="SHOULD",
    verdict="holds",
    engine="explicit",
    sentence=sentence("The client never polls sooner than the hint."),
    margin_ms=Fraction(1, 3),
    scope="20 polls",
)
VACUOUS = PropertyVerdict(
    id="every-window-can-fire",
    keyword="SHOULD",
    verdict="vacuous",
    engine="smt",
    sentence=sentence("No configured limit is dead: each can be the one that acts."),
    reason="server.enforced_ttl shadows server.orphan_window",
)
INCONCLUSIVE = PropertyVerdict(
    id="hint-inside-ttl",
    keyword="MUST",
    verdict="inconclusive",
    engine="smt",
    sentence=sentence("The first hinted poll comes before the ttl ends."),
    reason="the solver gave up after 1000000 units of work",
)
ABSENT = PropertyVerdict(
    id="lease-outlives-stall",
    keyword="MUST",
    verdict="not-applicable",
    engine="smt",
    sentence=sentence("A worker that is alive never loses its lease."),
    reason="server.lease_timeout is not set",
)

EVERY_VERDICT = (PROVED, VIOLATED, HOLDS, ABSENT, VACUOUS, INCONCLUSIVE)


def report(*properties: PropertyVerdict, assumptions: tuple[str, ...] = (), source: str = "op.toml") -> Report:
    """A report with these answers."""
    return Report(config=CONFIG, assumptions=assumptions, properties=properties, source=source)
