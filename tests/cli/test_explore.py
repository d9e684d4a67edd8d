"""`latchcheck explore`: verdicts, counts, limits and errors, on the lifecycle model as it is."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from latchcheck.cli.main import VERBS, main
from latchcheck.cli.wiring import is_named_scope, lifecycle_ids
from latchcheck.properties.lifecycle.catalogue import CATALOGUE
from tests.cli.conftest import Outcome

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "docs/reference/exploration.schema.json").read_text(encoding="utf-8"))
IDS = lifecycle_ids()


@pytest.fixture
def explore(capfd: pytest.CaptureFixture[str]) -> Any:
    """Runs `latchcheck explore` in this process."""

    def run(*arguments: str) -> Outcome:
        code = main(["explore", *arguments])
        captured = capfd.readouterr()
        return Outcome(code, captured.out, captured.err)

    return run


@pytest.fixture
def searched(explore: Any) -> Any:
    """The JSON envelope of a run, valid by its schema, with the exit code in it."""

    def run(*arguments: str) -> dict[str, Any]:
        outcome = explore(*arguments, "--format", "json")
        found = json.loads(outcome.out)
        jsonschema.Draft202012Validator(SCHEMA).validate(found)
        assert (outcome.code, outcome.err) == (found["exit"], "")
        return found

    return run


def verdicts(found: dict[str, Any]) -> dict[str, str]:
    """Id to verdict."""
    return {one["id"]: one["verdict"] for one in found["properties"]}


def test_the_schema_is_one() -> None:
    """The published schema is a JSON Schema."""
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_one_task_by_hand(searched: Any) -> None:
    """One task and no worker: a record is created and the client told; one system, one search, and its numbers."""
    found = searched("--scope", "tasks=1,workers=0", "--no-symmetry")
    (search,) = found["searches"]
    # Nothing; a record; its reply; nobody works on it.
    assert (found["states"], found["depth"]) == (3, 2) == (search["states"], search["depth"])
    assert found["transitions"] == sum(found["actions"].values()) == 2
    assert found["actions"] == {"create": 1, "reply": 1}
    assert found["never_fired"] == [name for name, times in found["actions"].items() if not times]
    assert verdicts(found)["begins-working"] == "holds"


def test_every_property_is_told_once(searched: Any) -> None:
    """A spelled-out scope answers all twenty-five in their order; what it lacks parties for is not applicable."""
    found = searched("--scope", "tasks=1,workers=2,cancels=1,redeliveries=1")
    assert list(verdicts(found)) == list(IDS)
    assert verdicts(found)["one-terminal-outcome"] == "holds"
    absent = {one["id"]: one["reason"] for one in found["properties"] if one["verdict"] == "not-applicable"}
    assert absent["client-converges"] == "the scope needs polls=1"
    assert absent["tenant-isolation"] == "the scope needs clients=1, tenants=2"


@pytest.mark.parametrize("name", IDS)
def test_what_is_said_to_be_missing_is_all_that_is(name: str, searched: Any) -> None:
    """A scope with what a property was said to need is no longer one that it does not apply to."""
    (before,) = searched("--scope", "tasks=1,workers=1", "--property", name)["properties"]
    if before["verdict"] != "not-applicable":
        return
    needed = before["reason"].removeprefix("the scope needs ").partition(" or ")[0].replace(" ", "")
    (after,) = searched("--scope", f"tasks=1,workers=1,{needed}", "--property", name)["properties"]
    assert after["verdict"] in ("holds", "vacuous")


@pytest.mark.parametrize(("scope", "states"), [("ci", 7_986), ("deep", 16_772), ("wide", 2_594_486)])
def test_a_named_scope_is_searched_property_by_property(scope: str, states: int, searched: Any) -> None:
    """Within ci, deep and wide every property holds; each has its own search, and the totals are sums."""
    found = searched("--scope", scope)
    assert verdicts(found) == dict.fromkeys(IDS, "holds")
    assert [one["properties"] for one in found["searches"]] == [[name] for name in IDS]
    for total in ("states", "transitions"):
        assert found[total] == sum(one[total] for one in found["searches"])
    assert found["depth"] == max(one["depth"] for one in found["searches"])
    assert found["states"] == states


@pytest.mark.parametrize("name", IDS)
def test_a_mutant_is_shown_by_a_run(name: str, searched: Any) -> None:
    """Under the first mutant of a property it is violated, by a run that names the clause, and the exit code is 1."""
    found = searched("--scope", "ci", "--policy", CATALOGUE[name].mutants[0], "--property", name)
    (one,) = found["properties"]
    assert (one["verdict"], found["exit"], found["complete"]) == ("violated", 1, True)
    assert one["witness"]["steps"][0]["party"]
    assert one["witness"]["steps"][-1]["changed"]


def test_symmetry_keeps_the_verdicts(searched: Any) -> None:
    """With two like tasks the states become fewer, at most by the number of ways to swap; verdicts and runs stay."""
    asked = ("--scope", "tasks=2,workers=2", "--policy", "dispatch=before-commit")
    whole, swapped = searched(*asked, "--no-symmetry"), searched(*asked)
    assert verdicts(whole) == verdicts(swapped)
    assert swapped["states"] < whole["states"] <= 4 * swapped["states"]
    assert (whole["searches"][0]["swapped"], swapped["searches"][0]["swapped"]) == ([], ["tasks", "workers"])
    lengths = [
        [len(one["witness"]["steps"]) for one in found["properties"] if one["witness"]] for found in (whole, swapped)
    ]
    assert lengths[0] == lengths[1]


def test_vacuous_is_no_pass(explore: Any) -> None:
    """Nothing is redelivered, so no second attempt could run: that is vacuous, and the exit code is 5."""
    outcome = explore("--scope", "tasks=1,workers=2", "--property", "single-execution")
    assert outcome.code == 5
    assert "vacuous   single-execution" in outcome.out or "vacuous  single-execution" in outcome.out
    assert "no reachable state puts it to the test" in " ".join(outcome.out.split())


def test_what_a_leads_to_asks_for(searched: Any) -> None:
    """The leads-to form is asked for by name; where a client retries an unknown id for ever, the run has a loop."""
    name = "client-converges/leads-to"
    assert verdicts(searched("--scope", "ci", "--property", name)) == {name: "holds"}
    (one,) = searched("--scope", "ci", "--property", name, "--policy", "unknown_id=retry")["properties"]
    assert one["verdict"] == "violated"
    assert 0 <= one["witness"]["loop"] <= len(one["witness"]["steps"])


def test_a_limit_of_states_is_inconclusive(searched: Any) -> None:
    """A search that may keep few states says which limit ended it; the exit code is 4."""
    found = searched("--scope", "ci", "--max-states", "50", "--property", "one-terminal-outcome")
    (one,) = found["properties"]
    assert (one["verdict"], found["exit"], found["complete"]) == ("inconclusive", 4, False)
    assert "--max-states" in one["reason"]
    assert found["searches"][0]["stopped"] == "states"


def test_a_limit_of_memory_is_inconclusive(searched: Any) -> None:
    """A megabyte is less than the states of this scope take."""
    found = searched("--scope", "tasks=2,workers=2,stalls=1,cancels=1,inputs=1,clients=2", "--max-memory", "1")
    assert (found["exit"], found["searches"][0]["stopped"]) == (4, "memory")
    assert any("--max-memory" in (one["reason"] or "") for one in found["properties"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--scope", "cii"), "there is no 'cii'"),
        (("--scope", "task=2"), "did you mean 'tasks'?"),
        (("--scope", "tasks=0"), "a whole number from 1 to 9"),
        (("--policy", "leese=none"), "did you mean 'lease'?"),
        (("--property", "one-terminal-outcom"), "did you mean 'one-terminal-outcome'?"),
        (("--property", "begins-working/leads-to"), "has no leads-to form"),
        (("--max-states", "0"), "max-states"),
        (("-o", "/"), "this is a directory"),
    ],
)
def test_bad_input_is_one_clear_error(arguments: tuple[str, ...], words: str, explore: Any) -> None:
    """What is misspelled is told with what to write instead, before anything is searched; the exit code is 2."""
    outcome = explore(*arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert words in outcome.err
    assert outcome.err.count("latchcheck: error:") == 1


def test_text_tells_run_and_numbers(explore: Any, tmp_path: Path) -> None:
    """The text has the verdict, the sentence, the run event by event, what was covered, and fits its width."""
    asked = ("--scope", "ci", "--policy", "lease=none", "--property", "single-execution")
    outcome = explore(*asked)
    assert outcome.code == 1
    for words in ("violated: single-execution", "at most one attempt runs", "redeliver", "states up to symmetry"):
        assert words in outcome.out
    assert outcome.out.rstrip().endswith("Exit code 1.")
    file = tmp_path / "answer.txt"
    assert explore(*asked, "-o", str(file)).out == ""
    # The seconds differ from run to run.
    assert file.read_text().splitlines()[:-3] == outcome.out.splitlines()[:-3]


# Ctrl-C as soon as the search has been seen with so many different numbers of states.
INTERRUPTED = """
import os, signal, sys, threading, time
from latchcheck.cli.main import main
from latchcheck.kernel.doing import stages
wanted, *arguments = sys.argv[1:]
def interrupt():
    seen = set()
    while len(seen) < int(wanted):
        seen.update(one.count() for one in stages() if one.unit == "states")
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)
signal.signal(signal.SIGINT, signal.default_int_handler)
threading.Thread(target=interrupt, daemon=True).start()
sys.exit(main(arguments))
"""


def interrupted_after(counts: int) -> tuple[int, dict[str, Any], str]:
    """A long search that is ended by Ctrl-C: its exit code, its answer, and what stands on stderr."""
    scope = "tasks=3,workers=3,crashes=2,stalls=2,redeliveries=2,cancels=2,inputs=2,restarts=2"
    asked = ["explore", "--scope", scope, "--no-symmetry", "--format", "json"]
    command = [sys.executable, "-c", INTERRUPTED, str(counts), *asked]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    return done.returncode, json.loads(done.stdout), done.stderr


def test_an_interrupt_tells_what_was_covered() -> None:
    """Ctrl-C ends a long search with the states that were found, and exit code 4, however slow the machine."""
    for counts in (3, 30, 300):
        code, found, err = interrupted_after(counts)
        assert (code, found["exit"], found["complete"]) == (4, 4, False)
        assert found["searches"][0]["stopped"] == "interrupt"
        assert "interrupted" in err
        if found["states"] > 1:
            return
    raise AssertionError("the states that were found are not told")


def test_a_module_holds_one_system(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A named scope is no single system, so export asks for a folder, in which each property has its module."""
    assert main(["export", "tla", "--scope", "ci"]) == 2
    assert "--property" in capfd.readouterr().err
    assert main(["export", "tla", "--scope", "ci", "-o", str(tmp_path)]) == 0
    assert set(lifecycle_ids()) <= {folder.name for folder in tmp_path.iterdir()}
    assert [is_named_scope(scope) for scope in ("ci", "deep", "wide", "tasks=2")] == [True, True, True, False]
    assert "explore" in VERBS


@pytest.mark.parametrize("what", ["policies", "scopes", "mutants"])
def test_the_model_is_listed(what: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Switches, sizes and mutants are listed, one a row, as text of at most eighty columns and as JSON."""
    assert main(["list", what, "--format", "json"]) == 0
    rows = json.loads(capfd.readouterr().out)[what]
    assert main(["list", what]) == 0
    lines = capfd.readouterr().out.splitlines()
    key = next(iter(rows[0]))
    assert [line.split()[0] for line in lines[1:] if line[0] != " "] == [row[key] for row in rows]
    # A policy stands whole, so that it can be copied.
    assert max(len(line) for line in lines if " " in line.strip()) <= 80


@pytest.mark.parametrize("name", [*IDS, "terminal_guard", "redeliveries"])
def test_the_model_is_explained(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Every lifecycle property, a switch and a size are explained."""
    assert main(["explain", name]) == 0
    out = capfd.readouterr().out
    assert out.startswith(f"{name}\n  ")
    labels = [line.split()[0] for line in out.splitlines() if line.startswith("  ") and line[2] != " "]
    expected = {"keyword", "source", "clauses", "reads", "mutants"} if name in IDS else set()
    assert expected <= set(labels)


def test_a_reduction_keeps_the_verdicts(searched: Any) -> None:
    """Orders of steps that do not meet are left out: no more states, the same verdicts and the same shortest runs."""
    asked = (
        "--scope",
        "tasks=2,workers=1,cancels=1",
        "--policy",
        "seed_status=any",
        "--property",
        "begins-working",
    )
    whole, reduced = searched(*asked, "--no-symmetry"), searched(*asked, "--no-symmetry", "--reduction")

    assert (whole["reduction"], reduced["reduction"]) == (False, True)
    assert verdicts(whole) == verdicts(reduced)
    assert reduced["states"] <= whole["states"]


def test_a_reduction_is_refused_for_leads_to(explore: Any) -> None:
    """What is asked of runs that go on for ever is a usage error that says why."""
    result = explore("--reduction", "--property", "client-converges/leads-to")

    assert result.code == 2
    assert "--reduction does not keep what the leads-to 'client-converges/leads-to' asks" in result.err


def test_without_networkx_a_leads_to_question_names_the_extra(explore: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """One error says what to install, and ends with the code of bad usage."""
    monkeypatch.setitem(sys.modules, "networkx", None)
    outcome = explore("--property", "dispatch-with-record/leads-to")
    assert 2 == outcome.code
    assert (
        "a leads-to question needs networkx, which is not installed\n  pip install 'latchcheck[explore]'" in outcome.err
    )
