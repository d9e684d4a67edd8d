"""The tools on the models of the project: known traps, the cases of docs/cases, and the command line."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from latchcheck.cli.main import main
from latchcheck.kernel import replay
from latchcheck.properties.wording.models import model, vocabularies
from latchcheck.wording.checking import check, each_checked
from latchcheck.wording.files import Reading, load, read
from latchcheck.wording.grammar import parse
from latchcheck.wording.judging import at_fault, by_type, judge
from latchcheck.wording.killing import kill
from latchcheck.wording.proving import settled
from latchcheck.wording.relations import compare, words_of
from latchcheck.wording.why import why
from latchcheck.wording.words import Model, World

ROOT = Path(__file__).parents[2]
CASES = ROOT / "docs" / "cases"
SCHEMA = json.loads((ROOT / "docs/reference/wording.schema.json").read_text(encoding="utf-8"))


def reading(text: str, *assuming: str, name: str = "lifecycle") -> Reading:
    """A reading of a sentence about one of the models."""
    return Reading("r", text, parse(text, vocabularies()[name]), assuming)


@cache
def about(name: str) -> Model:
    """A model as it is without settings, built once."""
    return model(name)


def world(one: Reading, name: str = "lifecycle") -> World:
    """The guarded world of a reading."""
    made = about(name)
    found = made.world(made.base, words_of([one]))
    assert found is not None
    return found


def cli(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of `latchcheck wording`."""
    code = main(["wording", *arguments])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_a_response_is_not_true_because_the_run_ended() -> None:
    """An open task whose worker does nothing breaks "eventually not open", and holds under the fairness it needs."""
    text = "globally, if the task is open, then eventually not the task is open"
    alone = reading(text)
    seen = judge(world(alone), alone)
    assert seen.verdict == "violated"
    assert seen.stops
    assert seen.trace is not None
    assert [step.action for step in seen.trace] == ["create"]
    fair = reading(text, "workers report", "messages are delivered", "the reaper deletes")
    assert judge(world(fair), fair).verdict == "holds"


def test_a_bounded_response_in_steps_is_not_true_because_the_run_ended() -> None:
    """A duty within some steps is broken also by a run that stops before they are over."""
    one = reading("globally, if the task is open, then eventually the task is terminal within 9 steps")
    seen = judge(world(one), one)
    assert seen.verdict == "violated"
    assert seen.stops


def test_an_unreachable_step_is_no_violation() -> None:
    """What induction alone cannot exclude holds, and is proved with lemmas or left to the search; never violated."""
    one = reading("after the task is terminal, it is never the case that a terminal status is written")
    found = why(world(one), one)
    assert found.verdict == "proved"
    assert len(found.lemmas) > 1


def test_readings_that_differ_at_equality_are_told_apart_there() -> None:
    """Wordings with "<" and "<=" differ by a run whose silence is exactly the window."""
    head = "globally, it is never the case that the task becomes orphaned and the silence"
    one, other = (reading(f"{head} {sign} the orphan window", name="timing") for sign in ("<", "<="))
    found = compare(about("timing"), one, other)
    assert found.relation == "B stronger"
    assert found.cause == ("<", "<=")
    split = found.splits[0]
    made = about("timing").world(split.world, ())
    assert made is not None
    last = replay(made.system, split.trace)[-2]
    now = split.trace.steps[-1].at_ms
    window = made.bound.config.server.orphan_window_ms
    assert now is not None
    assert window == now - last["last_contact"]  # type: ignore[operator]


def test_a_clause_that_never_happens_is_named() -> None:
    """A sentence that nothing puts to the test is vacuous, with the clause that never happens."""
    one = reading("after the task is terminal, if the task becomes working, then at that moment a cancel is noted")
    found = world(one)
    assert judge(found, one).verdict == "vacuous"
    assert at_fault(found, one) == '"the task becomes working" never happens there: after the task is terminal'


def test_what_the_types_say_already_is_told() -> None:
    """A bound that the type of a quantity has anyway is true by type, one below it is not."""
    beyond, inside = (
        reading(f"globally, it is never the case that the number of stored outcomes > {n}") for n in (2, 1)
    )
    assert by_type(world(beyond), beyond)
    assert not by_type(world(inside), inside)


def test_the_same_wording_is_proved_so() -> None:
    """To say "never P" or "always not P" is equivalent in every model, and no model is searched for it."""
    one = reading("globally, it is never the case that the stored outcome changes")
    other = reading("globally, it is always the case that not the stored outcome changes")
    found = compare(about("lifecycle"), one, other)
    assert found.relation == "equivalent"
    assert found.worlds == ()


def test_a_sentence_of_the_latch_detects_its_faults() -> None:
    """The latch catches a model without guard and one that checks first; the worker's lease is nothing to it."""
    document = load(str(CASES / "latch.toml"), vocabularies())
    found = next(each_checked(about("lifecycle"), document))
    assert [name for name, _ in found.caught] == ["terminal_guard=none", "terminal_guard=check-then-set"]
    assert "write" in found.implied_by
    assert "one-terminal-outcome" in found.implied_by


def test_slips_are_killed_or_not_told_apart() -> None:
    """Of the slips in the latch, the one that takes any status for the outcome is noticed, with a run."""
    document = load(str(CASES / "latch.toml"), vocabularies())
    fates = {row.slip.what: row.fate for row in kill(about("lifecycle"), document.readings[0])}
    assert fates['"the stored outcome changes" to "the status changes"'] == "killed"
    assert fates["MUST to SHOULD"] == "killed"
    assert fates["drop the scope"] == "not told apart"


def test_a_should_is_told_with_what_ignoring_it_breaks() -> None:
    """A SHOULD that the configuration ignores is violated, with the MUST that breaks only there."""
    document = load(str(CASES / "observed.toml"), vocabularies())
    found = next(each_checked(model("timing", sets=document.sets), document))
    assert found.consequence is not None
    assert found.consequence.breaks == "result-reaches-client"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("vocabulary",), 0),
        (("vocabulary", "orphan", "--kind", "quantity"), 0),
        (("check", f"{CASES}/ttl-unit.toml#milliseconds", "--alone"), 0),
        (("check", f"{CASES}/vanish.toml#through-failed", "--alone"), 1),
        (("diff", f"{CASES}/seed.toml#working", f"{CASES}/seed.toml#open"), 0),
        (("kill", f"{CASES}/vanish.toml#through-failed"), 0),
        (("why", f"{CASES}/latch.toml#outcome"), 0),
    ],
)
def test_json_is_what_the_schema_says(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], code: int
) -> None:
    """Each verb's JSON fits the published schema and bears the exit code, and the text form ends alike."""
    ended, out, _ = cli(capsys, *arguments, "--format", "json")
    envelope: dict[str, Any] = json.loads(out)
    jsonschema.validate(envelope, SCHEMA)
    assert (code, code) == (ended, envelope["exit"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("check", "missing.toml"), "name a property file"),
        (("check", f"{CASES}/latch.toml#outcom"), "did you mean 'outcome'?"),
        (("diff", f"{CASES}/latch.toml#outcome"), "has one reading, and two are compared"),
        (("diff", f"{CASES}/latch.toml", f"{CASES}/ttl.toml"), "no run is of both models"),
        (("vocabulary", "orphann"), "did you mean 'orphan'?"),
        (("vocabulary", "--model", "tasks"), "there is lifecycle, timing"),
        (("check", f"{CASES}/latch.toml", "--alone", "--seconds", "3"), "leave it out, or --against"),
        (("check", f"{CASES}/latch.toml", "--against", "missing"), "name a property file"),
        (("check",), "Missing argument"),
    ],
)
def test_a_wrong_command_says_what_to_write(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    """Bad input ends in 2, with one error that says what to write instead."""
    code, out, err = cli(capsys, *arguments)
    assert (2, "") == (code, out)
    assert said in err


def test_a_scope_that_lacks_something_is_told() -> None:
    """A word that the scope has nothing for is an error that says what to write into the scope."""
    text = 'sentence="s"\nsource="d"\nkeyword="MUST"\nscope="workers=1"\n[readings.a]\n'
    found = read("f.toml", text + 'text="globally, it is never the case that a client cancels"\n', vocabularies())
    with pytest.raises(Exception, match="write cancels=1 into it"):
        check(model("lifecycle", scope=found.scope), found)


def test_the_cause_is_a_whole_phrase() -> None:
    """What makes two readings differ is named by phrases and scopes, never by parts of them."""
    head, never = "after the task is terminal, it is never the case that", "globally, it is never the case that"
    pairs = (
        (f"{head} the stored outcome changes", f"{head} the status changes",
         ("the stored outcome changes", "the status changes")),
        (f"{head} a terminal status is written", f"{never} a terminal status is written",
         ("after the task is terminal", "globally")),
    )  # fmt: skip
    for one, other, expected in pairs:
        assert compare(about("lifecycle"), reading(one), reading(other)).cause == expected


def test_where_no_phrase_alone_makes_the_difference_all_are_named() -> None:
    """With "after ... becomes" as with "from ... becomes" nothing happens that breaks it; it takes both changes."""
    one = reading("after a cancel is acknowledged, it is never the case that the task becomes completed")
    other = reading("from a cancel is acknowledged, it is never the case that the task is completed")
    assert compare(about("lifecycle"), one, other).cause == (
        "after ... the task becomes completed", "from ... the task is completed",
    )  # fmt: skip


def test_what_happens_between_milliseconds_counts() -> None:
    """Work that is stored after the ttl only between two whole milliseconds breaks the reading, by a run at a half."""
    one = reading("globally, it is never the case that the worker finishes and the time since createdAt > 4ms",
                  name="timing")  # fmt: skip
    made = model("timing", sets=("server.enforced_ttl=4ms", "server.advertised_ttl=4ms"))
    found = made.world(made.base, words_of([one]))
    assert found is not None
    assert judge(found, one).verdict == "holds"
    seen, proof = settled(found, one)
    assert proof is None
    assert seen.verdict == "violated"
    assert seen.trace is not None
    last = seen.trace.steps[-1]
    assert last.action == "write_terminal"
    assert last.at_ms is not None
    assert last.at_ms.denominator == 2


def test_a_reading_about_time_is_proved() -> None:
    """The orphan that the server sees as silent is proved for runs of any length, with the lemmas that it needs."""
    text = "globally, if the task becomes orphaned, then at that moment the silence > the orphan window"
    one = reading(text, name="timing")
    made = model("timing", sets=("server.orphan_window=1ms",))
    found = made.world(made.base, words_of([one]))
    assert found is not None
    seen, proof = settled(found, one)
    assert seen.verdict == "proved"
    assert proof is not None
    assert proof.obligations >= 1
    assert why(found, one).verdict == "proved"
