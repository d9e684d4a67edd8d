"""The pages about admission, the policy layer and the handle store say what the model says now."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.scripts import script

REFERENCE = Path(__file__).parents[2] / "docs/reference"
MAKE = script(REFERENCE / "generate_admission.py")


@pytest.mark.parametrize(
    ("page", "made"),
    [(MAKE.DECISIONS, MAKE.decisions_page), (MAKE.LAYER, MAKE.layer_page), (MAKE.STORE, MAKE.store_page)],
    ids=["decisions", "policy layer", "handle store"],
)
def test_a_made_page_is_up_to_date(page: str, made: Any) -> None:
    """The page is what docs/reference/generate_admission.py writes now."""
    assert (REFERENCE / page).read_text(encoding="utf-8") == made()
