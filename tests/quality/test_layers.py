"""Imports point one way: kernel <- engines <- report <- cli, and kernel <- model <- properties.

The checker knows nothing about MCP: one package of it, the wiring of the command line, imports the model.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
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


def imports(source: str, module: str, *, is_package: bool, everywhere: bool = True) -> set[str]:
    """What of this project a module imports, wherever in it or when it is loaded alone, as absolute names."""
    package = module if is_package else module.rpartition(".")[0]
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)) if everywhere else at_start(source):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package.split(".")[: len(package.split(".")) + 1 - node.level] if node.level else []
            found |= {".".join([*base, *filter(None, [node.module]), alias.name]) for alias in node.names}
    return {name for name in found if name.split(".")[0] == "latchcheck"}


def at_start(source: str) -> list[ast.Import | ast.ImportFrom]:
    """The imports of a module that run, or are read by a type checker, when it is loaded: not those in functions."""
    found: list[ast.Import | ast.ImportFrom] = []
    inside: list[ast.AST] = [ast.parse(source)]
    while inside:
        node = inside.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.append(node)
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            inside.extend(ast.iter_child_nodes(node))
    return found


def circle(uses: Mapping[str, Iterable[str]]) -> list[str]:
    """Modules that import one another in a circle, each the one after it; empty where there is none."""
    try:
        TopologicalSorter(uses).prepare()
    except CycleError as found:
        return found.args[1][::-1]  # it is told from what is used to what uses it
    return []


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


def test_private_names_stay_at_home() -> None:
    """No module imports a name that begins with an underscore from another of ours."""
    taken = [
        f"{module} takes {name}"
        for module, path in modules().items()
        for name in sorted(imports(path.read_text(encoding="utf-8"), module, is_package=path.name == "__init__.py"))
        if name.rpartition(".")[2].startswith("_") and not name.endswith("__")
    ]
    assert [] == taken


def test_nothing_imports_in_a_circle() -> None:
    """No module imports, when it is loaded or for its types, one that imports it: each can be read before what uses it.

    A package is what its `__init__` imports.
    """
    known = modules()
    uses = {module: used_at_start(module, path, known) for module, path in known.items()}
    assert [] == circle(uses)


def used_at_start(module: str, path: Path, known: Mapping[str, Path]) -> set[str]:
    """The modules that are loaded, or read for types, with a module: of `from .x import y` it is y where that is one.

    The packages that a module stands in are not counted: they are names, and nothing is taken from them.
    """
    source = path.read_text(encoding="utf-8")
    named = imports(source, module, is_package=path.name == "__init__.py", everywhere=False)
    return {name if name in known else name.rpartition(".")[0] for name in named} - {module}


def test_circles_are_seen() -> None:
    """A circle is found among modules that lie in none, also where an import is for types alone."""
    assert ["a", "b", "a"] == sorted_circle({"a": {"b"}, "b": {"a"}, "c": {"a"}})
    assert [] == circle({"a": {"b", "c"}, "b": {"c"}, "c": set()})
    source = "import os\nif TYPE_CHECKING:\n    from .b import x\ndef f():\n    from .c import y\n"
    assert {"latchcheck.b.x"} == imports(source, "latchcheck.a", is_package=False, everywhere=False)


def sorted_circle(uses: Mapping[str, Iterable[str]]) -> list[str]:
    """The circle, told from its first module by name."""
    found = circle(uses)[:-1]
    first = found.index(min(found))
    return [*found[first:], *found[:first], found[first]]
