"""What is said about running the tests: one command in the README and in CI, and every need of a test on the page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.needs import LINUX, NEEDS, POSTGRES, PRODUCTS, PROGRAMS

ROOT = Path(__file__).parents[2]
CI = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
PAGE = (ROOT / "tests" / "README.md").read_text(encoding="utf-8")


def test_ci_runs_the_command_of_the_readme() -> None:
    """The last line of .ci/run is what the README has after the install of the same extra."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    extra, command = re.findall(r'^python -m pip install -e "(\.\[\w+\])" && (.*)$', readme, re.MULTILINE)[0]
    assert command == CI.splitlines()[-1]
    assert f'pip install --quiet --editable "{extra}"' in CI


def test_ci_installs_every_product_and_skips_nothing() -> None:
    """Each product has its place in one of the two queues, and CI is set for all that follows."""
    queues = re.findall(r"^products (.*) &$", CI, re.MULTILINE)
    assert 2 == len(queues)
    assert sorted(PRODUCTS) == sorted(" ".join(queues).split())
    assert re.search(r"^export CI=true\b", CI, re.MULTILINE)


@pytest.mark.xdist_group("together")
def test_a_group_is_left_to_one_process(request: pytest.FixtureRequest) -> None:
    """Where tests are spread over processes the name of a test ends with its group, by which it is given to one."""
    spread = bool(request.config.getoption("loadgroup", default=False))
    assert spread == request.node.nodeid.endswith("@together")


def test_every_need_is_on_the_page() -> None:
    """The table has each program with its package of Debian, and the page names what is no program."""
    rows = re.findall(r"^\| `([\w-]+)` \|.*\| `([\w-]+)` \|$", PAGE, re.MULTILINE)
    assert [(name, one.debian) for name, one in PROGRAMS.items()] == rows
    assert [] == [name for name in NEEDS if f"`{name}`" not in PAGE]
    assert {POSTGRES, LINUX, *PRODUCTS} == set(NEEDS) - set(PROGRAMS)
