"""What the README says can be installed beside a bare latchcheck."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_readme_names_every_extra() -> None:
    """Its table has a row for each extra of pyproject.toml, but for `all`, which is another name of `test`."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    table = (ROOT / "README.md").read_text(encoding="utf-8").partition("## What to install")[2].partition("\n## ")[0]
    assert set(extras) - {"all"} == set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE))
