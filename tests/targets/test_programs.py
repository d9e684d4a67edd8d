"""The programs that drive products, and the skeletons of the documentation, speak the driver protocol."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from latchcheck.counterexamples.targets import Call, Table, target
from latchcheck.counterexamples.targets.conformance import check
from latchcheck.counterexamples.targets.driver_wire import Wire
from latchcheck.counterexamples.targets.environments import PROGRAMS
from latchcheck.counterexamples.targets.program import Program
from latchcheck.counterexamples.targets.protocol import Opened
from tests import needs

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "driver-protocol.md"
PRODUCTS = ("mcp-python", "mcp-typescript", "fastmcp")


def conforms(name: str) -> None:
    """The target keeps every rule of the protocol that it says it can."""
    rows = check(target(name))
    assert {"passed", "not-applicable"} >= {row["outcome"] for row in rows}, rows
    assert "passed" == rows[0]["outcome"]


@pytest.mark.slow
@pytest.mark.xdist_group("products")
@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.needs(name)) for name in PRODUCTS])
def test_a_product_is_driven_by_a_driver(name: str) -> None:
    """The program behind a product is a driver like any other, and says of itself what the target says of it."""
    product = target(name)
    assert isinstance(product, Program)
    named = f"driver:{shlex.join(product.command())}"
    conforms(named)
    assert product.table == target(named).table


def test_every_program_has_its_table() -> None:
    """Each driver among the programs has the file of its table beside it, and each such file its driver."""
    drivers = {"mcp_python_store", "typescript_store", "fastmcp_store"}
    assert drivers == {path.name.removesuffix(".table.json") for path in PROGRAMS.glob("*.table.json")}
    assert all(isinstance(target(name).table, Table) for name in PRODUCTS)


def test_a_program_that_is_kept_begins_anew_in_the_same_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kept, one process serves sessions one after the other, each without tasks; let go, each has a process."""
    driver = PAGE.parents[1] / "examples" / "driver" / "whole_store.py"
    monkeypatch.setattr(Program, "command", lambda _: [sys.executable, str(driver)])
    started: list[object] = []
    begin = Wire.__init__
    monkeypatch.setattr(Wire, "__init__", lambda self, *args: (started.append(self), begin(self, *args))[1])
    program = Program("kept", "mcp-python", "mcp_python_store.py")
    read, create = Call("get", "t1", "o1"), Call("create", "t1", "c1")
    for keeps, processes in ((True, 1), (False, 4)):
        program.keep(keeps)
        for _ in range(3):
            with Opened(program) as session:
                assert session.perform(read).status in (None, "gone")
                assert not session.perform(create).refused
                assert session.perform(read).status == "working"
        assert len(started) == processes
    program.stop()


@pytest.mark.slow
@pytest.mark.needs("mcp-typescript", "node")
@pytest.mark.xdist_group("products")
def test_the_typescript_driver_has_its_types(tmp_path: Path) -> None:
    """The compiler of TypeScript, at its strictest, finds nothing wrong in the worked driver."""
    modules = needs.product("mcp-typescript").path / "node_modules"
    options = {
        "strict": True, "noEmit": True, "skipLibCheck": True, "module": "nodenext", "target": "es2022",
        "typeRoots": [str(modules / "@types")], "types": ["node"],
        "paths": {"@modelcontextprotocol/sdk/*": [f"{modules}/@modelcontextprotocol/sdk/dist/esm/*"]},
    }  # fmt: skip
    asked = {"compilerOptions": options, "files": [str(PROGRAMS / "typescript_store.mts")]}
    (tmp_path / "tsconfig.json").write_text(json.dumps(asked), encoding="utf-8")
    compiler = modules / "typescript" / "bin" / "tsc"
    done = subprocess.run([needs.path("node"), compiler, "-p", tmp_path], capture_output=True, text=True, check=False)
    assert (0, "") == (done.returncode, done.stdout)


def skeleton(language: str) -> str:
    """The one block of a language on the page of the protocol."""
    (found,) = re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    return found


@pytest.mark.needs("jq")
def test_the_skeleton_in_shell_is_a_driver(tmp_path: Path) -> None:
    """The skeleton in shell, run as it stands, keeps the rules."""
    script = tmp_path / "driver.sh"
    script.write_text(skeleton("sh"), encoding="utf-8")
    conforms(f"driver:sh {script}")


@pytest.mark.slow
@pytest.mark.needs("go")
def test_the_skeleton_in_go_is_a_driver(tmp_path: Path) -> None:
    """The skeleton in Go, built as it stands, keeps the rules."""
    source = tmp_path / "driver.go"
    source.write_text(skeleton("go"), encoding="utf-8")
    subprocess.run([needs.path("go"), "vet", source], check=True, cwd=tmp_path)
    subprocess.run([needs.path("go"), "build", "-o", tmp_path / "driver", source], check=True, cwd=tmp_path)
    conforms(f"driver:{tmp_path / 'driver'}")
