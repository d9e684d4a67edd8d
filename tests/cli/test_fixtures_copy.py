"""`latchcheck fixtures copy`: the shipped counterexamples in somebody's repository, whole or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from latchcheck.cli.main import main
from latchcheck.counterexamples import SAVED, load
from latchcheck.counterexamples.writing import copy_all

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/reference/copies.schema.json").read_text(encoding="utf-8"))
OUTCOME = "one-terminal-outcome"
NAMED = f"{OUTCOME}/terminal-guard-none"


def files(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, hidden ones too."""
    return {str(one.relative_to(folder)): one.read_bytes() for one in folder.rglob("*") if one.is_file()}


def test_all_of_them_are_copied_as_they_are(tmp_path: Path) -> None:
    """Without a selection every saved fixture is there afterwards, byte by byte, and nothing else."""
    assert 0 == main(["fixtures", "copy", str(tmp_path / "new" / "counterexamples")])
    expected = {name: text for name, text in files(SAVED).items() if name.endswith(".json")}
    assert expected == files(tmp_path / "new" / "counterexamples")


def test_a_selection_is_copied(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By id, by property, and by what a target can be asked for; what is there already is not written again."""
    assert 0 == main(["fixtures", "copy", str(tmp_path), NAMED])
    assert [f"{NAMED}.json"] == [*files(tmp_path)]
    capsys.readouterr()
    assert 0 == main(["fixtures", "copy", str(tmp_path), "--property", OUTCOME, "--format", "json"])
    told = json.loads(capsys.readouterr().out)
    assert [] == [error.message for error in Draft202012Validator(SCHEMA).iter_errors(told)]
    saved = [*(SAVED / OUTCOME).glob("*.json")]
    assert (len(saved), len(saved) - 1) == (told["selected"], len(told["written"]))


def test_what_a_target_is_ruled_out_of_is_left_out(tmp_path: Path) -> None:
    """A store of one tenant is given no fixture that needs two, and those for it name a target that can do them."""
    table = '{"latchcheck": 1, "events": ["create", "dispatch", "worker_write", "cancel", "get"]}'
    driver = tmp_path / "driver.py"
    driver.write_text(
        f"import json, sys\nfor line in sys.stdin:\n    print(json.dumps({{**{table}, 'id': 1}}), flush=True)\n",
        encoding="utf-8",
    )
    assert 0 == main(["fixtures", "copy", str(tmp_path / "c"), "--target", f"driver:python {driver}"])
    copied = [load(one) for one in (tmp_path / "c").rglob("*.json")]
    assert 5 < len(copied) < len([*SAVED.glob("*/*.json")])
    assert {1} == {one.scope.get("tenants", 1) for one in copied}
    actions = {step.action for one in copied for step in one.steps}
    assert not {"ttl_passes", "crash_server", "list"} & actions


def test_a_changed_file_is_not_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Somebody's own file stays, and nothing else is written, until --force is said."""
    own = tmp_path / f"{NAMED}.json"
    own.parent.mkdir(parents=True)
    own.write_text("mine", encoding="utf-8")
    assert 2 == main(["fixtures", "copy", str(tmp_path), "--property", OUTCOME])
    assert "--force writes over it" in capsys.readouterr().err
    assert {f"{NAMED}.json": b"mine"} == files(tmp_path)
    assert 0 == main(["fixtures", "copy", str(tmp_path), "--property", OUTCOME, "--force"])
    assert load(own).id == NAMED


def test_a_failure_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the second of two files cannot be moved into place, the first is as it was, and no folder is left."""
    sources = [tmp_path / "one", tmp_path / "two"]
    for one in sources:
        one.write_text(f"new {one.name}", encoding="utf-8")
    (tmp_path / "to").mkdir()
    (tmp_path / "to" / "one").write_text("old", encoding="utf-8")
    replace = Path.replace

    def fails(self: Path, target: Path) -> Path:
        if target.name == "two":
            raise OSError(28, os.strerror(28))
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", fails)
    with pytest.raises(OSError, match="No space"):
        copy_all({sources[0]: tmp_path / "to" / "one", sources[1]: tmp_path / "to" / "below" / "two"})
    assert {"one": b"old"} == files(tmp_path / "to")
    assert ["one"] == [one.name for one in (tmp_path / "to").iterdir()]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["no/such"], 2, "`latchcheck fixtures list` names them"),
        (["--property", "one-terminal-outcom"], 2, "did you mean 'one-terminal-outcome'?"),
        (["--property", "lease-outlives-stall"], 2, "no counterexample of it is saved"),
        (["--target", "sqllite"], 2, "did you mean 'sqlite'"),
        (["--target", "driver:/no/such"], 2, "cannot be started"),
        (["--property", "cancel-marker-outlives-record", "--target", "sqlite"], 5, ""),
    ],
)
def test_what_cannot_be_copied_is_said(
    arguments: list[str], code: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A wrong selection ends in one error, an empty one is vacuous, and neither writes anything."""
    assert code == main(["fixtures", "copy", str(tmp_path / "new"), *arguments])
    assert said in capsys.readouterr().err
    assert not (tmp_path / "new").exists()
