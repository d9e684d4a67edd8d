"""The command `study`: its formats, its exit code, its figures, and its answers to bad usage."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import jsonschema
import pytest

from latchcheck.cli.main import main
from latchcheck.kernel.figures import Figure, Recomputed, rounded
from latchcheck.properties.study.published import TABLE_3
from latchcheck.report.study.drawing import Picture
from latchcheck.report.study.tables import as_markdown, as_text
from tests.study.printed import figures

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of `latchcheck study`."""
    code = main(["study", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_the_json_keeps_to_its_schema(capsys: pytest.CaptureFixture[str]) -> None:
    """The list is what docs/reference/study.schema.json describes, and only the asked tables are in it."""
    code, out, err = run(capsys, "--table", "4", "--table", "3", "--format", "json")
    rows = json.loads(out)
    jsonschema.validate(rows, json.loads((REFERENCE / "study.schema.json").read_text(encoding="utf-8")))
    assert (0, "") == (code, err)
    assert [3] * 12 + [4] * 50 == [row["table"] for row in rows]


def test_published_ours_and_difference_have_a_column_each(capsys: pytest.CaptureFixture[str]) -> None:
    """A row of the text shows the published figure, ours, their difference, and the exact figure beside them."""
    code, out, _ = run(capsys, "--table", "2")
    (row,) = re.findall(r"^  fixed 1000 ms\n(?:    .*\n)*?    ~1800 s task polls +(.*)$", out, re.MULTILINE)
    assert (0, ["1800.2", "1800.2", "0.0", "1800.0"]) == (code, row.split())


def test_markdown_has_a_table_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    """Each row of Markdown is a figure with its labels."""
    code, out, _ = run(capsys, "--table", "5", "--format", "markdown")
    row = "| 300 s | orphan window 120 s | orphaned at 780 s | orphaned at 780 s | same | orphaned at 450 s |"
    assert (0, True) == (code, row in out.splitlines())


def test_a_figure_that_differs_is_told_and_ends_in_1(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were the paper's 4.0% printed as 4.1%, ours would be off by -0.1% and the exit code 1."""
    printed = {row: list(cells) for row, cells in TABLE_3.rows.items()}
    printed["fixed 5000 ms"][0] = "4.1%"
    table = Recomputed(
        TABLE_3,
        [
            Figure(3, row, column, theirs, cell)
            for row, cells in printed.items()
            for column, theirs, cell in zip(TABLE_3.columns, cells, TABLE_3.rows[row], strict=True)
        ],
    )
    monkeypatch.setattr("latchcheck.cli.wiring.recompute", lambda *_: [table])
    code, out, _ = run(capsys, "--table", "3")
    assert 1 == code
    assert "4.1%   4.0%       -0.1%" in out
    assert out.endswith("11 of 12 published figures come out to the last printed digit.\n")


def test_a_missing_figure_is_no_agreement() -> None:
    """A table of which a figure was left out does not agree, however well the others do."""
    kept = [Figure(3, row, column, cell, cell) for (row, column), cell in figures(3).items()]
    assert Recomputed(TABLE_3, kept).agrees
    assert not Recomputed(TABLE_3, kept[1:]).agrees


@pytest.mark.parametrize(
    ("number", "places", "printed"), [(12.25, 1, "12.2"), (12.35, 1, "12.3"), (0.0, 2, "0.00"), (1800, 1, "1800.0")]
)
def test_halves_are_rounded_as_python_prints_them(number: float, places: int, printed: str) -> None:
    """12.25 is halfway and goes to the even digit; 12.35 is a little less than that in binary."""
    assert printed == rounded(number, places) == f"{number:.{places}f}"


@pytest.mark.parametrize(
    ("published", "ours", "difference"),
    [("7200.2", "7200.0", "-0.2"), ("0.10 s", "0.30 s", "0.20 s"), ("5%", "5%", "0%"), ("survived", "lost", "differs")],
)
def test_a_difference_is_in_the_printed_unit(published: str, ours: str, difference: str) -> None:
    """Numbers are subtracted, words are the same or differ."""
    assert difference == Figure(2, "row", "column", published, ours).difference


def test_notes_stand_below_their_table() -> None:
    """A note is wrapped in text and an item in Markdown."""
    table = Recomputed(TABLE_3, [], notes=("A note " * 20,))
    assert all(len(line) <= 80 for line in as_text([table], 80).splitlines())
    assert "- A note" in as_markdown([table])


# -- figures ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_figures_are_written_in_both_formats(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Four figures as SVG, with labelled axes and their units as text, and as PNG of README size."""
    folder = tmp_path / "drawn"
    code, _, err = run(capsys, "--table", "4", "--figures", str(folder))
    names = ("defaults", "frontier", "orphan-map", "staleness")
    assert (0, "") == (code, err)
    assert [f"{name}.{kind}" for name in names for kind in ("png", "svg")] == sorted(
        path.name for path in folder.iterdir()
    )
    texts = {name: " ".join(ET.parse(folder / f"{name}.svg").getroot().itertext()) for name in names}  # noqa: S314 - ours
    for name, labels in {
        "defaults": ("unknowns that a retry would cure (%)", "attempts per 100 failures"),
        "frontier": ("polls per task (mean, log)", "staleness at the end (median, s)"),
        "orphan-map": ("client's backoff ceiling (s, log scale)", "server's orphan window (s, log scale)"),
        "staleness": ("length of the task (s, log scale)", "median staleness, % of the task's length"),
    }.items():
        assert [label for label in labels if label not in texts[name]] == []
        png = (folder / f"{name}.png").read_bytes()
        assert (b"\x89PNG\r\n\x1a\n", 960) == (png[:8], int.from_bytes(png[16:20]))


def test_without_matplotlib_the_extra_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Where matplotlib is not installed, one error says what to install, and nothing is written."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    code, out, err = run(capsys, "--figures", str(tmp_path / "drawn"))
    assert (2, "") == (code, out)
    assert "latchcheck: error: figures need matplotlib: pip install 'latchcheck[study]'\n" == err
    assert list(tmp_path.iterdir()) == []


def test_where_a_picture_cannot_go_none_is_written(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A folder in the place of a picture is named, and the other pictures are not written either."""
    pictures = {"one": Picture(b"svg", b"png"), "other": Picture(b"svg", b"png")}
    monkeypatch.setattr("latchcheck.cli.wiring.pictures", lambda _: pictures)
    (tmp_path / "other.png").mkdir()
    code, out, err = run(capsys, "--table", "4", "--figures", str(tmp_path))
    assert (2, "", True) == (code, out, "other.png: it is a directory" in err)
    assert ["other.png"] == [path.name for path in tmp_path.iterdir()]


# -- usage ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--table", "6"], "6 is not in the range"),
        (["--table", "two"], "'two' is not a valid integer range"),
        (["--format", "xml"], "there is no 'xml'\n  there is text, json, markdown"),
        (["--figures", ""], "--figures: files are written below a folder; name one"),
        (["--figures", f"{__file__}/x"], f"{__file__} is no directory"),
        (["--figures", __file__], "this is no directory"),
        (["-o", f"{__file__}/x"], f"{__file__} is no directory"),
        (["--transport", "--table", "2"], "--transport: it is a study of its own"),
    ],
)
def test_bad_usage_ends_in_2(capsys: pytest.CaptureFixture[str], arguments: list[str], said: str) -> None:
    """Every mistake is told before the work begins, and nothing is printed."""
    code, out, err = run(capsys, *arguments)
    assert (2, "", True) == (code, out, said in err)
