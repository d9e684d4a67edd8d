"""The HTML report, opened from disk in a real browser and used."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, sync_playwright

from latchcheck.cli.main import main
from latchcheck.counterexamples import SAVED
from tests.needs import path

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples" / "paper-e4"
ORPHANED, SURVIVED = EXAMPLES / "ceiling-900s-window-120s.toml", EXAMPLES / "ceiling-900s-window-900s.toml"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
SEARCH = ["explore", "--scope", "tasks=1,workers=1,cancels=1", "--policy", "terminal_guard=none"]
# What they share is made once.
pytestmark = [pytest.mark.slow, pytest.mark.needs("chromium"), pytest.mark.xdist_group("browser")]


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Reports of a verification and of a small search."""
    folder = tmp_path_factory.mktemp("reports")
    found = {"verify": folder / "verify.html", "explore": folder / "explore.html"}
    main(["verify", str(ORPHANED), str(SURVIVED), "--format", "html", "-o", str(found["verify"])])
    main(["verify", str(ORPHANED), "--save", str(folder), "--format", "html", "-o", str(folder / "saved.html")])
    found["saved"] = folder / "saved.html"
    main([*SEARCH, "--property", "one-terminal-outcome", "--format", "html", "-o", str(found["explore"])])
    return found


@pytest.fixture
def page() -> Iterator[Page]:
    """A page of headless Chromium; whatever it complains about, or asks the network for, fails the test."""
    wrong: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path("chromium"), args=ARGUMENTS)
        opened = browser.new_page(viewport={"width": 1100, "height": 800})
        opened.on("console", lambda message: wrong.append(message.text))
        opened.on("pageerror", lambda error: wrong.append(str(error)))
        opened.on("request", lambda request: wrong.append(request.url) if request.url.startswith("http") else None)
        yield opened
        browser.close()
    assert wrong == []


def at(page: Page) -> str:
    """What the first timeline says is its current event."""
    return page.locator(".now").first.inner_text()


def test_every_control_of_a_timeline_does_what_it_says(reports: dict[str, Path], page: Page) -> None:
    """First, last, back, next, the slider, a mark and a row all move to the event that they name."""
    page.goto(reports["verify"].as_uri())
    run = page.locator(".run").first
    last = int(run.locator(".step").get_attribute("max") or "")
    assert re.match(rf"{last} of {last}: .*reaper: sweep finds an orphan", at(page))
    run.locator(".first").click()
    assert f"0 of {last}: before the first event" == at(page)
    run.locator(".back").click()
    assert at(page).startswith("0 of")
    run.locator(".next").click()
    assert at(page).startswith(f"1 of {last}: 0, client")
    run.locator(".step").press("ArrowRight")
    assert at(page).startswith("2 of")
    run.locator("tr[data-step='6']").click()
    assert at(page).startswith("7 of")
    run.locator(".mark.harm").click()
    assert at(page).startswith(f"{last} of")
    run.locator(".back").click()
    run.locator(".last").click()
    assert at(page).startswith(f"{last} of")


def test_the_axis_can_be_logarithmic(reports: dict[str, Path], page: Page) -> None:
    """The switch moves the marks apart that the linear axis has close together, and back."""
    page.goto(reports["verify"].as_uri())
    run = page.locator(".run").first
    mark = run.locator(".mark[data-step='5']")
    linear = mark.get_attribute("style") or ""
    run.locator("input.log").check()
    moved = mark.get_attribute("style") or ""
    places = [float(re.search(r"left: ([\d.]+)%", style)[1]) for style in (linear, moved)]  # type: ignore[index]
    assert places[0] < places[1]
    assert run.locator(".tick.log").first.is_visible()
    assert not run.locator(".tick.linear").first.is_visible()
    run.locator("input.log").uncheck()
    assert linear.strip(" ;").replace(" ", "") == (mark.get_attribute("style") or "").strip(" ;").replace(" ", "")


def test_the_state_follows_the_event(reports: dict[str, Path], page: Page) -> None:
    """The status reads working before the sweep and cancelled after it."""
    page.goto(reports["verify"].as_uri())
    run = page.locator(".run").first
    run.locator(".state summary").click()
    status = run.locator(".state tr", has=page.locator("th", has_text=re.compile("^status$"))).locator("td")
    assert status.inner_text() == "cancelled"
    run.locator(".back").click()
    assert status.inner_text() == "working"


def test_what_was_stated_is_in_the_report(reports: dict[str, Path], page: Page) -> None:
    """Each key of the configuration stands there with its value and the line of the file that states it."""
    page.goto(reports["verify"].as_uri())
    page.locator("details.settings summary").first.click()
    rows = page.locator("details.settings").first.locator("tbody tr").all_inner_texts()
    stated = [line for line in ORPHANED.read_text(encoding="utf-8").splitlines() if re.match(r"\w+ = ", line)]
    assert len(stated) == len(rows)
    assert any(row.split("\t")[:2] == ["server.orphan_window", "2m"] and str(ORPHANED) in row for row in rows)


def test_the_command_asks_again(reports: dict[str, Path], page: Page) -> None:
    """The command that stands in the report gives the same verdicts, and its button copies or selects it."""
    page.goto(reports["verify"].as_uri())
    command = page.locator("#command-0").inner_text()
    assert f"latchcheck verify {ORPHANED}" == command
    page.locator(".copy").first.click()
    page.wait_for_function("['Copied', 'Selected'].includes(document.querySelector('.copy').textContent)")


def test_the_report_reads_without_scripts(reports: dict[str, Path]) -> None:
    """With scripts off the verdicts, the marks and the table of events are all there."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path("chromium"), args=ARGUMENTS)
        page = browser.new_context(java_script_enabled=False).new_page()
        page.goto(reports["verify"].as_uri())
        assert page.locator(".mark.harm").first.is_visible()
        assert page.locator("tr[data-step]").count() == page.locator(".mark").count()
        browser.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_both_schemes(reports: dict[str, Path], page: Page, scheme: str) -> None:
    """Text and paper have the contrast of 4.5 that WCAG 2.1 asks for, in the light and in the dark."""
    page.emulate_media(color_scheme="light" if scheme == "light" else "dark")
    page.goto(reports["verify"].as_uri())
    paper = luminance(colour(page, "body", "background-color"))
    for selector in ("body", ".violated", ".proved", ".party", "a"):
        ink = luminance(colour(page, selector, "color"))
        assert (max(ink, paper) + 0.05) / (min(ink, paper) + 0.05) >= 4.5, selector


def colour(page: Page, selector: str, name: str) -> list[int]:
    """Red, green and blue of the first element."""
    text = page.locator(selector).first.evaluate("(one, name) => getComputedStyle(one).getPropertyValue(name)", name)
    return [int(part) for part in re.findall(r"\d+", text)[:3]]


def luminance(rgb: list[int]) -> float:
    """Relative luminance (WCAG 2.1, definitions)."""
    parts = [one / 255 for one in rgb]
    linear = [one / 12.92 if one <= 0.03928 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_a_search_shows_its_coverage_and_its_states(reports: dict[str, Path], page: Page) -> None:
    """Each action of a small search is listed with how often it happened, and its graph has a circle a state."""
    page.goto(reports["explore"].as_uri())
    names = page.locator(".coverage tbody th").all_inner_texts()
    assert {"create", "deliver", "report", "cancel"} <= set(names)
    summary = page.locator(".graph summary").inner_text()
    page.locator(".graph summary").click()
    circles = page.locator(".graph circle")
    assert f"The state graph, {circles.count()} states" == summary
    assert circles.first.is_visible()
    assert 0 < page.locator(".graph .harm circle").count() < circles.count()


def test_a_search_shows_which_missing_guards_its_properties_notice(reports: dict[str, Path], page: Page) -> None:
    """The kill table has a row a mutant that is caught, with the length of the saved run."""
    page.goto(reports["explore"].as_uri())
    page.locator(".kills summary").click()
    mutants, caught = (page.locator(f".kills tbody {cell}").all_inner_texts() for cell in ("th", "td"))
    rows = dict(zip(mutants, caught, strict=True))
    fixture = json.loads((SAVED / "one-terminal-outcome" / "terminal-guard-none.json").read_text(encoding="utf-8"))
    assert f"one-terminal-outcome {len(fixture['steps'])}" == rows["terminal_guard=none"]
    assert page.locator(".kills strong").first.is_visible()


def test_a_saved_run_is_replayed_by_the_command_that_stands_there(
    reports: dict[str, Path], page: Page, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where the run was saved, the report has the command that replays it, and it reproduces."""
    page.goto(reports["saved"].as_uri())
    shown = page.locator(".details li", has_text="latchcheck replay").first.inner_text()
    words = shlex.split(shown.partition("latchcheck ")[2])
    assert 1 == main(words)
    assert "reproduces" in capsys.readouterr().out


def test_the_command_of_a_search_asks_again(
    reports: dict[str, Path], page: Page, capsys: pytest.CaptureFixture[str]
) -> None:
    """What stands in the report, run again, breaks the same property."""
    page.goto(reports["explore"].as_uri())
    command = page.locator("#command-0").inner_text().split()
    assert "latchcheck" == command[0]
    assert 1 == main(command[1:])
    assert "violated  one-terminal-outcome" in capsys.readouterr().out
