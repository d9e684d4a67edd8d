"""The campaign of the how-to, on a scheduler and workers that are processes of their own."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("cluster")]  # what they share is made once
ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "docs" / "examples" / "cluster" / "campaign.py"
EXAMPLE = ROOT / "docs" / "examples" / "paper-e4" / "ceiling-300s-window-120s.toml"
SECONDS_MAX = 300


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a scheduler with two workers, as a user starts them."""
    folder = tmp_path_factory.mktemp("cluster")
    dask = [sys.executable, "-m", "dask"]
    head = [*dask, "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", "s.json"]
    worker = [*dask, "worker", "--scheduler-file", "s.json", "--nthreads", "1", "--no-dashboard", "--no-nanny"]
    started = [
        subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for command in (head, worker, worker)
    ]
    try:
        yield address(folder / "s.json", started[0])
    finally:
        for one in started:
            one.kill()
            one.wait()


def address(file: Path, head: subprocess.Popen[bytes]) -> str:
    """What the scheduler writes about itself, once it has written all of it."""
    end = time.monotonic() + SECONDS_MAX
    while time.monotonic() < end:
        assert head.poll() is None
        with suppress(FileNotFoundError, json.JSONDecodeError):
            return json.loads(file.read_text("utf-8"))["address"]
        time.sleep(0.1)
    raise AssertionError("the scheduler does not come up")


def campaign(folder: Path, *words: str) -> tuple[int, str, str]:
    """Run the script in a folder: its exit code and what it said."""
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_each_seed_is_asked_once_and_its_files_are_sent(scheduler: str, tmp_path: Path) -> None:
    """Windows of 299 s and 300 s against pauses of up to 300 s: violated, proved, and neither is asked again."""
    shutil.copy(EXAMPLE, tmp_path / "base.toml")
    words = ("299:301", "-o", "found", "--scheduler", scheduler, "--")
    words += ("verify", "base.toml", "--property", "no-live-orphan", "--set", "server.orphan_window={seed}s")
    code, out, err = campaign(tmp_path, *words)
    assert (1, 2) == (code, len(err.splitlines())), err
    assert out.startswith("2 seeds ended: 1 with 0, 1 with 1; 1 different finds\n")
    answers = {path.stem: json.loads(path.read_text("utf-8")) for path in (tmp_path / "found" / "seeds").iterdir()}
    assert {"299": 1, "300": 0} == {seed: one["exit"] for seed, one in answers.items()}
    assert ["violated"] == [one["verdict"] for one in answers["299"]["answer"]["properties"]]
    (fixture,) = (tmp_path / "found" / "fixtures").rglob("*.json")
    checked = [sys.executable, "-c", "from latchcheck.cli.main import run; run()", "fixtures", "check", str(fixture)]
    assert 0 == subprocess.run(checked, capture_output=True, check=False).returncode
    assert (1, out, "") == campaign(tmp_path, *words)


def test_a_find_of_several_seeds_is_kept_once(scheduler: str, tmp_path: Path) -> None:
    """Without the guard every seed comes to a run of two outcomes; alike runs are one fixture."""
    words = ("0:3", "-o", "found", "--scheduler", scheduler, "--")
    words += ("fuzz", "--scope", "cancels=1", "--policy", "terminal_guard=none", "--no-fixtures", "--max-runs", "60")
    code, _, err = campaign(tmp_path, *words, "--property", "one-terminal-outcome")
    assert 1 == code, err
    kept = [json.loads(path.read_text("utf-8")) for path in (tmp_path / "found" / "fixtures").rglob("*.json")]
    runs = [json.dumps(one["steps"]) for one in kept]
    assert 0 < len(set(runs)) == len(runs) <= 3
    assert {one["id"] for one in kept} == {
        path.relative_to(tmp_path / "found" / "fixtures").with_suffix("").as_posix()
        for path in (tmp_path / "found" / "fixtures").rglob("*.json")
    }


def test_what_is_no_answer_is_told_and_not_kept(scheduler: str, tmp_path: Path) -> None:
    """A misspelt property ends with 2, says so, and is asked again under the same name once it is mended."""
    words = ("0:1", "-o", "found", "--scheduler", scheduler, "--", "fuzz", "--max-runs", "1", "--property")
    code, out, err = campaign(tmp_path, *words, "tenant-isolatoin")
    assert (2, "1 seeds ended: 1 with 2; 0 different finds\n") == (code, out)
    assert "did you mean 'tenant-isolation'?" in err
    assert 4 == campaign(tmp_path, *words, "tenant-isolation", "--no-fixtures")[0]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("0-4", "-o", "found", "--", "fuzz"), "'0-4' is no range of seeds; write 0:200"),
        (("4:4", "-o", "found", "--", "fuzz"), "'4:4' is no range of seeds; write 0:200"),
        (("0:4", "-o", "found", "--", "explore"), "behind -- write a command: fuzz, verify, race"),
        (("0:4", "-o", "found"), "behind -- write a command: fuzz, verify, race"),
    ],
)
def test_bad_usage_is_told_before_anything_is_started(words: tuple[str, ...], said: str, tmp_path: Path) -> None:
    """The error says what to write instead, and no folder is made."""
    code, out, err = campaign(tmp_path, *words)
    assert (2, "", True) == (code, out, said in err)
    assert [] == list(tmp_path.iterdir())
