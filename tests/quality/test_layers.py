"""Imports point one way: kernel <- engines <- report <- cli, and kernel <- model <- properties.

The checker knows nothing about MCP: one package of it, the wiring of the command line, imports the model.
"""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = {"latchcheck": "latchcheck", "model": "latchcheck.model", "properties": "latchcheck.properties"} | {
    "counterexamples": "latchcheck.counterexamples"
}
# What each layer may import beside itself.
ALLOWED = {
    "latchcheck.kernel": {"latchcheck"},
    "latchcheck.engines": {"latchcheck", "latchcheck.kernel"},
    "latchcheck.wording": {"latchcheck", "latchcheck.kernel", "latchcheck.engines"},
    "latchcheck.report": {"latchcheck", "latchcheck.kernel", "latchcheck.engines", "latchcheck.wording"},
    "latchcheck.model": {"latchcheck", "latchcheck.kernel"},
    "latchcheck.properties": {
        *("latchcheck", "latchcheck.kernel", "latchcheck.engines", "latchcheck.wording", "latchcheck.model"),
    },
    "latchcheck.counterexamples": {"latchcheck", "latchcheck.kernel", "latchcheck.engines", "latchcheck.model"},
}
CHECKER = {"latchcheck", "latchcheck.kernel", "latchcheck.engines", "latchcheck.wording", "latchcheck.report"}
ALLOWED["latchcheck.cli"] = CHECKER
ALLOWED["latchcheck"] = set()
WIRING = "latchcheck.cli.wiring"


def imports(source: str, module: str, *, is_package: bool) -> set[str]:
    """The modules of this project that a module imports, wherever in it, as absolute names."""
    package = module if is_package else module.rpartition(".")[0]
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package.split(".")[: len(package.split(".")) + 1 - node.level] if node.level else []
            found |= {".".join([*base, *filter(None, [node.module]), alias.name]) for alias in node.names}
    return {name for name in found if name.split(".")[0] == "latchcheck"}


def layer(module: str) -> str:
    """The layer a module belongs to: the longest of the names above that it starts with."""
    return max((name for name in ALLOWED if f"{module}.".startswith(f"{name}.")), key=len)


def modules() -> dict[str, Path]:
    """Every module of the project with its file."""
    return {
        ".".join([package, *path.relative_to(ROOT / folder).with_suffix("").parts]).removesuffix(".__init__"): path
        for folder, package in FOLDERS.items()
        for path in (ROOT / folder).rglob("*.py")
    }


def test_imports_point_one_way() -> None:
    """No module imports from a layer that its own may not know."""
    wrong: list[str] = []
    for module, path in modules().items():
        if f"{module}.".startswith(f"{WIRING}."):
            continue
        used = imports(path.read_text(encoding="utf-8"), module, is_package=path.name == "__init__.py")
        allowed = ALLOWED[layer(module)] | {layer(module)}
        wrong += [f"{module} imports {name}" for name in sorted(used) if layer(name) not in allowed]
    assert wrong == []


def test_imports_are_seen() -> None:
    """Absolute and relative imports are read alike, inside functions too."""
    source = (
        "from ..kernel import Action\ndef f():\n    import latchcheck.model.config\n    from .x import y\nimport os\n"
    )
    expected = {"latchcheck.kernel.Action", "latchcheck.model.config", "latchcheck.report.x.y"}
    assert expected == imports(source, "latchcheck.report.text", is_package=False)
