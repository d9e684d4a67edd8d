"""A PostgreSQL server of ours, wherever the folder for what is temporary is, and whatever its name."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from latchcheck.counterexamples.targets import leftovers
from latchcheck.counterexamples.targets.stores.postgres import PostgresConnection
from latchcheck.counterexamples.targets.stores.server import PostgresServer, may_hold_a_socket

MACOS = Path("/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T")  # 48 characters, as macOS names them


@pytest.mark.parametrize(
    ("folder", "may"),
    [
        (MACOS / ("x" * 40), True),  # 48 + 1 + 40 + 1 + 13 = 103
        (MACOS / ("x" * 41), False),
        (MACOS / ("\u00fc" * 20), True),  # two bytes each
        (MACOS / ("\u00fc" * 21), False),
        (Path("/srv/a b"), False),
        (Path("/srv/a,b"), False),
        (Path("/srv/a'b"), False),
        (Path("/srv/a\\b"), False),
    ],
)
def test_a_socket_has_a_short_and_plain_path(folder: Path, may: bool) -> None:  # noqa: FBT001
    """A socket's path has at most 103 bytes on macOS, and of the characters that end a host in a list it has none."""
    assert may is may_hold_a_socket(folder)


@pytest.mark.slow
@pytest.mark.needs("postgres")
def test_the_folder_for_what_is_temporary_may_have_any_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder whose name is long and has a space in it the server starts and answers, and it leaves nothing."""
    with leftovers.temporary_folder("latchcheck-test-") as room:
        deep = room / ("deep " * 20)
        for folder in (room, deep):
            folder.mkdir(exist_ok=True)
            folder.chmod(0o755)  # as root the server runs as another user
        monkeypatch.setattr(tempfile, "tempdir", str(deep))
        server = PostgresServer()
        connection = PostgresConnection(server.dsn)
        assert 7 == connection.execute("SELECT 3 + 4").rows[0][0]
        connection.close()
        server.stop()
        assert not any(deep.iterdir())
        assert not server.host.exists()
