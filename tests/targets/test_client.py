"""A client as a target: a server is played to it, and what it makes of the answers is compared with the model."""

from __future__ import annotations

from pathlib import Path

import pytest

from latchcheck.cli import wiring
from latchcheck.cli.main import main
from latchcheck.counterexamples.targets.client import UNPLAYED, is_about_client
from latchcheck.counterexamples.targets.mapping import known_actions

CLIENTS = Path(__file__).parents[2] / "docs" / "examples" / "clients"
FIXTURES = {one.id: one for _, one in wiring.saved_fixtures()}
LOST = "handle-never-lost/handle-store-after-return"
RETRY = "client-converges/unknown-id-retry"
STATUS = "client-converges/unknown-status-terminal"
TWICE = "input-key-names-one-question/input-dedup-off"
BACK = "view-never-goes-back/view-last-arrival-wins"


def outcome(file: Path, fixture: str) -> tuple[str, str]:
    """What becomes of a fixture on a client."""
    ran = wiring.replay_on_target(FIXTURES[fixture], wiring.open_target(f"client:{file}"))
    return ran.outcome, ran.reason


@pytest.mark.parametrize(
    ("client", "fixture", "expected"),
    [
        ("repaired", LOST, "conforms"),
        ("repaired", "handle-never-lost/client-reissue-new-key", "conforms"),
        ("repaired", RETRY, "conforms"),
        ("repaired", STATUS, "conforms"),
        ("repaired", TWICE, "conforms"),
        ("printed", LOST, "reproduced"),
        ("printed", RETRY, "conforms"),
        ("printed", TWICE, "differs"),
    ],
)
def test_a_client_is_tried(client: str, fixture: str, expected: str) -> None:
    """The repaired handle store keeps its task through a kill, and the printed one loses it and asks nobody."""
    assert expected == outcome(CLIENTS / f"{client}.py", fixture)[0], outcome(CLIENTS / f"{client}.py", fixture)


def test_an_open_status_may_go_back_in_the_repaired_store() -> None:
    """It latches outcomes, and no more: a stale answer shows an older open status until the next poll."""
    found, reason = outcome(CLIENTS / "repaired.py", BACK)
    assert ("reproduced", True) == (found, "shows working" in reason), reason


CHANGED = {
    # The client stops at whatever it does not know, asks at every poll, or polls on after the end.
    STATUS: ('known = seen["status"] in (*OPEN, *TERMINAL)', 'seen["status"], known = "failed", True'),
    TWICE: ("and not told and", "and"),
    RETRY: (
        'TERMINAL = ("completed", "failed", "cancelled", "unknown")',
        'TERMINAL = ("completed", "failed", "cancelled")',
    ),
}


@pytest.mark.parametrize("fixture", CHANGED)
def test_a_client_that_is_broken_is_found(fixture: str, tmp_path: Path) -> None:
    """Each guard of the repaired client, taken out, is what its fixture reproduces."""
    text = (CLIENTS.parents[1] / "how-to" / "handle_store.py").read_text(encoding="utf-8")
    old, new = CHANGED[fixture]
    assert 1 == text.count(old)
    adapter = (CLIENTS / "repaired.py").read_text(encoding="utf-8")
    own = adapter.partition("sys.path.insert")[2].partition("__all__")[2].partition("\n")[2]
    (tmp_path / "client.py").write_text(text.replace(old, new) + own, encoding="utf-8")
    found, reason = outcome(tmp_path / "client.py", fixture)
    assert "reproduced" == found, reason


@pytest.mark.parametrize(
    ("fixture", "why"),
    [
        ("one-terminal-outcome/terminal-guard-none", "what goes wrong is in the server"),
        ("handle-never-lost/idempotency-none", "what goes wrong is in the server"),
        ("client-converges/cancel-ack-outcome", "asks for no cancel"),
        ("view-never-goes-back/notifications-lossy.view-last-arrival-wins", "notifications"),
    ],
)
def test_what_is_not_played_says_why(fixture: str, why: str) -> None:
    """A fixture about a server, or about what a life of a client does not do, is not applicable."""
    found, reason = outcome(CLIENTS / "repaired.py", fixture)
    assert ("not-applicable", True) == (found, why in reason), reason


def test_every_fixture_about_a_client_is_told() -> None:
    """On the repaired client each of them conforms, is the known deviation, or says why it is not played."""
    about = [one.id for one in FIXTURES.values() if is_about_client(one)]
    found = {one: outcome(CLIENTS / "repaired.py", one)[0] for one in about}
    assert {"conforms", "not-applicable", "reproduced"} >= set(found.values()), found
    assert {"view-never-goes-back"} == {one.partition("/")[0] for one, what in found.items() if what == "reproduced"}
    assert UNPLAYED.keys() <= known_actions()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x = 1\n", "has no function life"),
        ("def life(*_, **__):\n    raise ValueError('no')\n", "client.py:2: ValueError: no"),
        ("import nowhere_to_be_found\n", "ModuleNotFoundError"),
        ("def life(*_, wait, **__):\n    while True:\n        wait(1)\n", "it has made no call"),
    ],
)
def test_a_client_that_is_wrong_is_no_pass(text: str, says: str, tmp_path: Path) -> None:
    """What its file raises, or lacks, is told with its place, and one that does nothing is not tried."""
    (tmp_path / "client.py").write_text(text, encoding="utf-8")
    found, reason = outcome(tmp_path / "client.py", LOST)
    assert (True, True) == (found in ("failed", "not-applicable"), says in reason), (found, reason)


def test_a_file_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    """It is named, with exit code 2."""
    assert 2 == main(["replay", "--target", "client:nowhere.py", RETRY])
    assert "nowhere.py: there is no such file" in capsys.readouterr().err
