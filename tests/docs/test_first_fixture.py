"""The tutorial of the first fixture shows the files that its commands run."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
EXAMPLE = DOCS / "examples" / "first-fixture"
PAGE = (DOCS / "tutorial" / "first-fixture.md").read_text(encoding="utf-8")


def shown(title: str) -> str:
    """The Python block of the page with that title."""
    found = re.search(rf'^```python title="{title}"\n(.*?)^```$', PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def test_the_page_shows_the_files_that_are_run() -> None:
    """Store and conftest are the example's, and the mended store differs in the shown function alone."""
    store, mended = ((EXAMPLE / name).read_text(encoding="utf-8") for name in ("store.py", "mended_store.py"))
    finish = re.search(r"^    def finish.*?(?=\n\n)", store, re.MULTILINE | re.DOTALL)
    assert finish is not None
    assert store == shown("store.py")
    assert (EXAMPLE / "conftest.py").read_text(encoding="utf-8") == shown("conftest.py")
    assert mended == store.replace(finish[0] + "\n", shown("store.py, finish"))
