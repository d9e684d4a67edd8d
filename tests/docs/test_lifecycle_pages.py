"""The pages that are made from the lifecycle model say what it says now."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from latchcheck.engines.stateful import RUNS_MAX
from latchcheck.model.policy import SWITCHES
from latchcheck.properties.lifecycle.catalogue import CATALOGUE
from tests.properties.lifecycle.test_kill_table import KILLED
from tests.scripts import script

REFERENCE = Path(__file__).parents[2] / "docs/reference"
GENERATOR = script(REFERENCE / "generate_lifecycle.py")


@pytest.mark.parametrize(
    ("page", "made"),
    [
        (GENERATOR.PROPERTIES, GENERATOR.properties_page),
        (GENERATOR.POLICIES, GENERATOR.policies_page),
        # The table that the tests of the properties compare with the search.
        (GENERATOR.KILLS, lambda: GENERATOR.kill_page(KILLED)),
        (GENERATOR.MODEL, GENERATOR.model_page),
    ],
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_a_made_page_is_up_to_date(page: str, made: Any) -> None:
    """The page is what docs/reference/generate_lifecycle.py writes now."""
    assert (REFERENCE / page).read_text(encoding="utf-8") == made()


def test_every_mutant_was_sampled() -> None:
    """Each pair of the kill table was measured, found with every seed, and left as long as its shortest run."""
    measured = json.loads((REFERENCE / GENERATOR.SAMPLED).read_text(encoding="utf-8"))
    seeds = len(measured["seeds"])
    assert seeds >= 3
    rows = {(row["mutant"], row["property"]): row for row in measured["rows"] if row["scope"] == "ci"}
    pairs = {(mutant, name): steps for mutant, killers in KILLED.items() for name, steps in killers.items()}
    assert pairs == {pair: row["shortest"] for pair, row in rows.items()}
    assert [] == [pair for pair, row in rows.items() if [row["shortest"]] * seeds != row["left"]]
    assert [] == [pair for pair, row in rows.items() if None in row["runs"] or max(row["runs"]) > RUNS_MAX]


def test_deeper_faults_were_sampled() -> None:
    """Faults of more than eight steps were measured too, and what they need is stated."""
    measured = json.loads((REFERENCE / GENERATOR.SAMPLED).read_text(encoding="utf-8"))
    deeper = [row for row in measured["rows"] if row["scope"] != "ci"]
    assert [] != deeper
    assert [] == [row for row in deeper if row["shortest"] <= 8 or None in row["runs"]]


def test_the_semantics_name_what_there_is() -> None:
    """Sections 5 and 6 name every lifecycle property, and every switch with its values, in their order."""
    text = (REFERENCE / "semantics.md").read_text(encoding="utf-8")
    fifth, sixth = re.split(r"^## 6\. Switches$", text.partition("## 5. Lifecycle properties")[2], flags=re.MULTILINE)
    assert re.findall(r"^\| `([a-z-]+)` \|", fifth, re.MULTILINE) == list(CATALOGUE)
    rows = dict(re.findall(r"^\| `([a-z_]+)` \| (.*) \|$", sixth.partition("## Sources")[0], re.MULTILINE))
    values = {name: tuple(re.findall(r"`([^`]+)`", cell)) for name, cell in rows.items()}
    assert values.pop("sweep_order") == (SWITCHES["sweep_order"].guarded,)
    assert values == {name: switch.values for name, switch in SWITCHES.items() if name != "sweep_order"}
