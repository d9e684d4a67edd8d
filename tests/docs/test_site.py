"""The documentation as a site, and the pages that are made from the command line."""

from __future__ import annotations

import functools
import http.server
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, sync_playwright

from tests.needs import path
from tests.scripts import script

pytestmark = pytest.mark.xdist_group("site")  # what they share is made once

ROOT = Path(__file__).parents[2]
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
DIAGRAM = 'class="mermaid"'


def test_the_commands_page_is_what_the_commands_say() -> None:
    """The page holds the help of every verb as it is now."""
    made = script(ROOT / "docs" / "reference" / "generate_commands.py")
    page = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    assert made.commands_page() == page, "run docs/reference/generate_commands.py"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built once; nothing is said about any page."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (0, "", "") == (done.returncode, done.stdout, done.stderr)
    return folder


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server of files that says nothing."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the signature of its parent
        """Say nothing."""


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """The site on a server of its own."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=site)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture
def page(address: str) -> Iterator[Page]:
    """A page of headless Chromium; a complaint, or a request to another host, fails the test."""
    wrong: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path("chromium"), args=ARGUMENTS)
        opened = browser.new_page()
        opened.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        opened.on("pageerror", lambda error: wrong.append(str(error)))
        opened.on(
            "request",
            lambda asked: wrong.append(asked.url) if not asked.url.startswith((address, "data:", "blob:")) else None,
        )
        yield opened
        browser.close()
    assert wrong == []


@pytest.mark.slow
def test_the_site_is_built_without_a_warning(site: Path) -> None:
    """Every page is rendered, and nothing is said about it."""
    sources = {page.relative_to(ROOT / "docs") for page in (ROOT / "docs").rglob("*.md")}
    # The page of a folder is its index.
    pages = {
        page.with_name("index.md" if page.name == "README.md" else page.name).with_suffix(".html") for page in sources
    }
    assert set() == {page for page in pages if not (site / page).is_file()}


@pytest.mark.slow
@pytest.mark.needs("chromium")
def test_diagrams_are_drawn_without_another_host(site: Path, address: str, page: Page) -> None:
    """Each diagram of each page becomes a picture, and nothing is asked of any host but the site's own."""
    found = {file: file.read_text(encoding="utf-8").count(DIAGRAM) for file in site.rglob("*.html")}
    found = {file: count for file, count in found.items() if count}
    assert found, "no page has a diagram"
    for file, count in found.items():
        page.goto(address + file.relative_to(site).as_posix())
        # The theme puts each picture in the place of its text, which is a `pre`, inside a closed shadow root.
        page.wait_for_function("count => document.querySelectorAll('div.mermaid').length === count", arg=count)
        for one in page.locator("div.mermaid").all():
            box = one.bounding_box()
            assert box is not None
            assert box["height"] > 50


@pytest.mark.slow
@pytest.mark.needs("chromium")
@pytest.mark.parametrize("name", ["index.html", "reference/commands.html", "how-to/look-at-a-run.html"])
def test_pages_ask_no_other_host(address: str, page: Page, name: str) -> None:
    """Fonts, scripts and pictures are the site's own."""
    page.goto(address + name)
    page.wait_for_load_state("networkidle")
    assert page.locator("h1").first.is_visible()
