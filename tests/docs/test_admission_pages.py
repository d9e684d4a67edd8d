"""The pages about admission, the policy layer and the handle store say what the model says now."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

REFERENCE = Path(__file__).parents[2] / "docs/reference"


def generator() -> Any:
    """The script that writes the pages."""
    spec = importlib.util.spec_from_file_location("generate_admission", REFERENCE / "generate_admission.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MAKE = generator()


@pytest.mark.parametrize(
    ("page", "made"),
    [(MAKE.DECISIONS, MAKE.decisions_page), (MAKE.LAYER, MAKE.layer_page), (MAKE.STORE, MAKE.store_page)],
    ids=["decisions", "policy layer", "handle store"],
)
def test_a_made_page_is_up_to_date(page: str, made: Any) -> None:
    """The page is what docs/reference/generate_admission.py writes now."""
    assert (REFERENCE / page).read_text(encoding="utf-8") == made()
