"""Every run of the timing systems can be told in words."""

from __future__ import annotations

import ast
from pathlib import Path

from latchcheck.model.timing.telling import HARMS, PHRASES, QUIET, ROUNDS

ROOT = Path(__file__).parents[3]
SYSTEMS = [path for path in sorted((ROOT / "model/timing").glob("*.py")) if path.name != "telling.py"]


def first_arguments(function: str) -> set[str]:
    """The names that the timing systems give, as literals, to what this function makes."""
    return {
        call.args[0].value
        for path in SYSTEMS
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id == function
        and call.args
        and isinstance(call.args[0], ast.Constant)
        and isinstance(call.args[0].value, str)
    }


def test_every_action_has_words() -> None:
    """No action of a timing system is told by its bare name."""
    assert sorted(first_arguments("Action") - set(PHRASES)) == []


def test_every_name_of_the_tables_is_one_of_the_systems() -> None:
    """No word speaks of a variable that no system has, so that a renamed one is noticed."""
    variables = first_arguments("Variable")
    assert sorted(QUIET - variables) == []
    assert sorted(set(HARMS) - variables) == []


def test_every_round_is_made_of_actions_that_have_words() -> None:
    """A round that names an action which no system has would never be found."""
    assert sorted({action for one in ROUNDS for action in one.actions} - set(PHRASES)) == []
