"""Makes the screenshots of the documentation: the HTML report in Chromium, the explorer in its own terminal."""

from __future__ import annotations

import asyncio
import re
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from latchcheck.cli import wiring
from latchcheck.cli.explorer.app import Explorer
from latchcheck.cli.explorer.board import Board
from latchcheck.cli.main import main
from latchcheck.counterexamples import SAVED

HERE = Path(__file__).parent / "screenshots"
ORPHANED = "docs/examples/paper-e4/ceiling-900s-window-120s.toml"
RACE = SAVED / "one-terminal-outcome" / "terminal-guard-check-then-set.json"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
WIDTH, HEIGHT = 1000, 760


def report() -> None:
    """The report of an orphaned task, from its verdicts to its timeline."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "report.html"
        main(["verify", ORPHANED, "--format", "html", "-o", str(file)])
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=ARGUMENTS)
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.goto(file.as_uri())
        page.locator(".violation").first.scroll_into_view_if_needed()
        top = page.locator(".violation").first.bounding_box()
        assert top is not None
        clip = {"x": 0, "y": top["y"] + page.evaluate("scrollY") - 10, "width": WIDTH, "height": 640}
        page.screenshot(path=HERE / "report.png", clip=clip, full_page=True)
        browser.close()


async def explorer() -> None:
    """The double finish in the explorer, after the worker has checked, with what cannot happen now."""
    fixture = wiring.load_fixture(str(RACE))
    trace = wiring.replay_fixture(fixture).trace
    assert trace is not None
    board = Board(wiring.fixture_case(fixture).system, trace.steps, wiring.fixture_telling(fixture), at=3)
    app = Explorer(board, fixture.id)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("o")
        app.save_screenshot("explorer.svg", path=str(HERE))
    # The picture is to stand alone: it asks no other host for its font.
    picture = HERE / "explorer.svg"
    drawn = picture.read_text(encoding="utf-8")
    picture.write_text(re.sub(r"@font-face \{.*?\}", "", drawn, flags=re.DOTALL), encoding="utf-8")


if __name__ == "__main__":
    report()
    asyncio.run(explorer())
