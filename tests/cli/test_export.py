"""`latchcheck export` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from latchcheck.cli import wiring
from latchcheck.counterexamples.loading import SAVED
from tests.cli.conftest import Run

SAVED_RUN = str(SAVED / "tenant-isolation" / "tenant-check-off.json")
BROKEN = ("--property", "tenant-isolation", "--policy", "tenant_check=off")


@pytest.fixture
def run(call: Run) -> Run:
    """Runs the command line in this process, on the model itself."""
    return call


def test_tla_goes_into_a_directory(run: Run, tmp_path: Path) -> None:
    """Module and configuration are written where they are wanted, the directory is made."""
    folder = tmp_path / "new" / "tla"
    outcome = run("export", "tla", "--scope", "tasks=1,workers=1", "-o", str(folder))

    assert (outcome.code, outcome.out, outcome.err) == (0, "", "")
    assert sorted(path.name for path in folder.iterdir()) == ["Latchcheck.cfg", "Latchcheck.tla"]
    assert (folder / "Latchcheck.tla").read_text().startswith("---- MODULE Latchcheck ----\n")
    assert "INVARIANT one_terminal_outcome\n" in (folder / "Latchcheck.cfg").read_text()


def test_a_property_narrows_the_model(run: Run) -> None:
    """With a property only what it needs is written, and nothing else is checked."""
    outcome = run("export", "tla", "--property", "begins-working")

    assert outcome.out.endswith("SPECIFICATION Spec\nINVARIANT TypeOK\nINVARIANT begins_working\n")
    assert "status_t1" in outcome.out
    assert "owner_t1" not in outcome.out


def test_several_properties_share_a_model(run: Run) -> None:
    """Two properties are checked on what they need together."""
    outcome = run("export", "tla", "--property", "begins-working", "--property", "single-execution")

    assert outcome.out.endswith("INVARIANT begins_working\nINVARIANT single_execution\n")


def test_what_should_come_is_checked_under_fairness(run: Run) -> None:
    """The leads-to form of a property is exported with the fairness that it needs."""
    outcome = run("export", "tla", "--property", "client-converges/leads-to")

    assert outcome.out.endswith("PROPERTY client_converges_leads_to\n")
    assert "    /\\ WF_vars(" in outcome.out


def test_smt2_holds_the_relation_and_the_questions(run: Run) -> None:
    """With a property the script asks whether it is inductive, without it states the relation alone."""
    assert "(check-sat)" in run("export", "smt2", "--property", "begins-working").out
    assert "(check-sat)" not in run("export", "smt2", "--scope", "tasks=1").out


def test_dot_draws_states(run: Run, tmp_path: Path) -> None:
    """A small model is drawn, into a file if so asked, and the states that break the property are marked."""
    target = tmp_path / "graph.dot"
    outcome = run("export", "dot", "--property", "begins-working", "--policy", "seed_status=any", "-o", str(target))

    assert (outcome.code, outcome.out) == (0, "")
    assert target.read_text().startswith("digraph {\n")
    assert 'color="red"' in target.read_text()
    assert 'color="red"' not in run("export", "dot", "--property", "begins-working").out


def test_a_run_is_that_of_a_fixture_or_of_the_search(run: Run) -> None:
    """The shortest run that breaks a property and that of its saved counterexample are the same run."""
    searched, saved = run("export", "itf", *BROKEN), run("export", "itf", "--fixture", SAVED_RUN)

    assert json.loads(searched.out)["states"] == json.loads(saved.out)["states"]
    diagram = run("export", "mermaid", "--fixture", SAVED_RUN).out
    assert diagram.startswith("sequenceDiagram\n    title tenant-isolation/tenant-check-off\n")
    steps = [line for line in diagram.splitlines() if "Note over" in line or "->>" in line]
    assert len(steps) == len(json.loads(saved.out)["states"]) - 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("itf",), "name the --property that the run breaks, or a --fixture"),
        (
            ("mermaid", "--property", "tenant-isolation"),
            "no run of scope ci and policy guarded breaks tenant-isolation",
        ),
        (("dot",), "has more than 500 states; draw a smaller scope"),
        (("tla", "--fixture", SAVED_RUN), "tla holds a model, no run"),
        (("smt2", "--property", "a", "--property", "b"), "smt2 is about one property"),
        (("tla",), "scope ci is searched property by property"),
        (("tla", "--property", "no-orphan"), "--property no-orphan: there is no such property"),
        (("tla", "--scope", "tasks=0"), "scope: tasks cannot be '0'"),
        (("tla", "--policy", "terminal_guard=cass"), "did you mean 'cas'?"),
        (("tla", "--scope", "tasks=1", "--property", "client-converges"), "nothing to tell 'client-converges' by"),
        (("itf", "--fixture", "missing.json"), "missing.json: No such file or directory"),
        (("pdf",), "there is no 'pdf'"),
        (("dot", "--property", "begins-working", "-o", "/dev/null/graph.dot"), "/dev/null is no directory"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_cannot_be_exported_is_said(run: Run, arguments: tuple[str, ...], words: str) -> None:
    """A wrong request is one error on stderr, and exit code 2."""
    outcome = run("export", *arguments)

    assert (outcome.code, outcome.out) == (2, "")
    assert words in outcome.err
    assert "internal error" not in outcome.err


def test_a_named_scope_has_a_module_a_property(run: Run, tmp_path: Path) -> None:
    """Without a property each gets the module that it has alone, in a directory of its own."""
    alone = tmp_path / "alone"
    assert 0 == run("export", "tla", "--scope", "ci", "--property", "begins-working", "-o", str(alone)).code
    assert 0 == run("export", "tla", "--scope", "ci", "-o", str(tmp_path / "all")).code
    modules = {path.parent.name for path in (tmp_path / "all").glob("*/Latchcheck.tla")}
    assert modules == set(wiring.lifecycle_ids())
    own = tmp_path / "all" / "begins-working"
    assert {path.name: path.read_bytes() for path in own.iterdir()} == {
        path.name: path.read_bytes() for path in alone.iterdir()
    }
