"""The condition of a live orphan is exact: theorems for all numbers, the source paper's sentence, and the ttl cap."""

import pytest
import z3

from latchcheck.engines.obligations import Proof
from latchcheck.model.timing.legs import Legs
from latchcheck.model.timing.schedule import Schedule
from latchcheck.properties.timing import CATALOGUE
from latchcheck.properties.timing.facts import Facts
from latchcheck.properties.timing.proofs import cap, orphan, paper, schedule, scripts, shapes
from latchcheck.properties.timing.proofs.followed import DELAY, FIRST, Followed
from latchcheck.properties.timing.proofs.recorded import Range
from latchcheck.properties.timing.proofs.registry import theorems
from latchcheck.properties.timing.verifying import answer

ABOUT = ("no-live-orphan", "hint-inside-orphan-window", "restart-inside-orphan-window", "ttl-cap-suffices")


def failed(*proofs: Proof) -> list[str]:
    """What is not proved, in words."""
    return [str(proof) for proof in proofs if not proof.proved]


def test_every_property_has_a_theorem() -> None:
    """Each of the twenty timing properties rests on a theorem that is registered, under an id of its own."""
    assert set(CATALOGUE) == {theorem.property for theorem in theorems()}
    assert 20 == len(CATALOGUE)
    assert len(theorems()) == len({theorem.id for theorem in theorems()})


@pytest.mark.parametrize("name", [one.id for one in theorems() if one.property in ABOUT])
def test_the_theorem_is_proved(name: str) -> None:
    """For all numbers, of every shape that the registry lists."""
    (theorem,) = (one for one in theorems() if one.id == name)

    assert [] == failed(*theorem.prove())


@pytest.mark.parametrize("name", ["no hint, skew", "lazy, steady, >="])
def test_a_shorter_silence_would_not_be_safe(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the request's way in is left out of a leg, the induction fails: the theorem has teeth."""
    monkeypatch.setattr(Followed, "leg", Followed.sent)

    assert failed(orphan.never(shapes.ORPHANS[name]))


@pytest.mark.parametrize("name", ["no hint, skew", "lazy, steady, >="])
def test_a_longer_silence_would_not_be_reached(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a leg is taken for longer than it can be, the written runs are none."""
    exact = Followed.leg

    def slow(shape: Followed, k: object, failures: int) -> Range:
        return exact(shape, k, failures) + Range(z3.RealVal(0), z3.RealVal(1))

    monkeypatch.setattr(Followed, "leg", slow)

    assert failed(*orphan.reached(shapes.ORPHANS[name]))


@pytest.mark.parametrize("name", list(shapes.FLAT))
def test_legs_here_are_the_legs_of_the_analysis(name: str) -> None:
    """With numbers put in, delays, legs and longest silences are those that `verify` computes."""
    config = shapes.FLAT[name].replace(
        {
            "client.initial_delay_ms": 10,
            "client.max_delay_ms": 70,
            "network.latency_ms": (3, 3) if name.startswith("steady") else (2, 5),
            "client.request_timeout_ms": 11,
        }
    )
    found = Schedule.of(config)
    assert found is not None
    legs, shape, k = Legs(found, Facts(config).horizon_ms), Followed(config), z3.IntVal(1)
    from latchcheck.model.timing.system import numbers

    values = [term == numbers(config)[symbol] for symbol, term in shape.system.parameters.items()]
    solver = z3.Solver()
    solver.add(*values, *shape.schedule(*(k + one for one in range(5))), FIRST(1) == 0)
    for first in (1, 2, 3):
        for failures in range(shape.followed + 1):
            leg = shape.leg(z3.IntVal(first), failures)
            solver.add(DELAY(first) >= 0)
            expected = legs.leg(first, failures)
            same = z3.And(leg.lo == z3.RealVal(str(expected.lo)), leg.hi == z3.RealVal(str(expected.hi)))
            assert z3.unsat == solver.check(z3.Not(same)), (first, failures)
        longest = shape.longest(z3.IntVal(first)) == z3.RealVal(str(legs.longest(first)))
        assert z3.unsat == solver.check(z3.Not(longest)), first


# -- the source paper's sentence ----------------------------------------------------------------------------------


@pytest.mark.parametrize("case", [*paper.CASES, *cap.ALONE], ids=lambda case: case.name)
def test_a_case_runs_and_verify_agrees(case: paper.Case) -> None:
    """The run is allowed and ends as the case says; the verdict on its configuration is what the case stands for."""
    last = case.run().steps[-1].changed
    verdict = answer("no-live-orphan", Facts(case.config)).verdict

    assert case.orphaned == ("orphaned_live" in last)
    if case.orphaned:
        assert "violated" == verdict
    else:
        assert "completed" == last["status"][1]
        assert ("violated" if case is paper.BETWEEN_SWEEPS else "proved") == verdict


def exceeds(cell: paper.Cell) -> bool:
    """Whether the gap of the cell's case exceeds the window under the cell's reading."""
    assert cell.case is not None
    return cell.case.gaps[cell.gap] > paper.WINDOW


def test_the_table_has_every_reading_once() -> None:
    """Four readings of gap, two of orphaned, two implications."""
    found = {(cell.gap, cell.orphaned, cell.implication) for cell in paper.table()}

    assert 16 == len(found) == len(paper.table())


@pytest.mark.parametrize("cell", paper.table(), ids=lambda cell: f"{cell.gap}, {cell.orphaned}, {cell.implication}")
def test_a_cell_is_proved_or_refuted(cell: paper.Cell) -> None:
    """A refuting case has the premise and not the conclusion, in a run that the stepper executes."""
    if cell.answer == "proved":
        assert cell.proof is not None
        assert cell.case is None
        return
    assert cell.case is not None
    orphaned = "orphaned_live" in cell.case.run().steps[-1].changed
    if cell.implication == "only if it exceeds":
        assert (True, False) == (orphaned, exceeds(cell))
    else:
        assert (False, True) == (orphaned, exceeds(cell))
    # One run says nothing about every run, but that one run survives: the rest stands in a proof.
    assert (cell.proof is None) == ((cell.orphaned == "must be") == (cell.implication == "if it exceeds"))


def test_contacts_are_as_early_as_they_are_said_to_be() -> None:
    """A leg that is cut shorter than its least is no run."""
    config = shapes.ORPHANS["no hint, skew"]
    shape = Followed(config)
    script = scripts.any_legs(shape, first=True, failed=0, leaves=False)
    known = [*shape.sane, *shape.schedule(*script.polls), *script.given[:-1]]
    too_soon = z3.Not(script.at >= shape.leg(z3.IntVal(1), 0).lo)

    assert failed(Proof("", (schedule.prove("", known, z3.Implies(script.given[-1], too_soon)),)))
