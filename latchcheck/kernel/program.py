"""A System compiled to Python functions, one an action, each when first used.

A system made by `System.at` runs the code of the system it came from with its numbers as globals, so that many
configurations of one model are compiled once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .compiling import RUNTIME, Emitter, python_name
from .errors import ModelError
from .frozen import Value
from .records import Action, Clause
from .system import System

Run = Callable[..., Any]


class Program:
    """The compiled code of one system; `run(...)` looks a function up, compiling it at the first call."""

    __slots__ = ("_code", "_sources", "parameters", "system")

    def __init__(self, system: System) -> None:
        self.system = system
        self.parameters = {name: python_name("p", name, i) for i, name in enumerate(system.parameters)}
        self._sources = {v.name: python_name("v", v.name, i) for i, v in enumerate(system.variables)}
        self._code: dict[str, Any] = {}

    def define(self, key: str, action: Action | None, clauses: Sequence[Clause], values: Mapping[str, Any]) -> Run:
        """`run(state, args)` for an action or for clauses alone.

        It gives the position of the first false clause, or -1; an action whose guard holds gives the tuple of values
        after its updates instead.
        """
        if key not in self._code:
            lines, constants = self._write(action, clauses)
            self._code[key] = (compile("\n".join(lines), f"<{self.system.name}: {key}>", "exec"), constants)
        code, constants = self._code[key]
        scope: dict[str, Any] = {**RUNTIME, **constants, **values}
        exec(code, scope)  # noqa: S102 - the source comes from the Emitter alone
        return scope["run"]

    def _write(self, action: Action | None, clauses: Sequence[Clause]) -> tuple[list[str], dict[str, Any]]:
        nodes = self.system.nodes
        choices = action.choices if action else ()
        args = {choice.name: python_name("c", choice.name, i) for i, choice in enumerate(choices)}
        guards = [nodes.read(clause.expr) for clause in clauses]
        updates = {name: nodes.read(expr) for name, expr in action.updates.items()} if action else {}
        emitter = Emitter(nodes, [*guards, *updates.values()], {**self._sources, **self.parameters, **args})
        emitter.line(f"({''.join(source + ', ' for source in self._sources.values())}) = state")
        if args:
            emitter.line(f"({''.join(source + ', ' for source in args.values())}) = args")
        for i, guard in enumerate(guards):
            emitter.line(f"if not {emitter.write(guard)}:")
            emitter.line(f"    return {i}")
        if action is None:
            emitter.line("return -1")
        else:
            after = dict(self._sources)
            after |= {name: emitter.write(root) for name, root in updates.items()}
            emitter.line(f"return ({''.join(source + ', ' for source in after.values())})")
        return ["def run(state, args):", *emitter.lines], emitter.constants


class BoundProgram:
    """A program with a number for every parameter: what a system without open parameters runs on."""

    __slots__ = ("_functions", "_program", "_values")

    def __init__(self, program: Program, values: Mapping[str, Value]) -> None:
        self._program = program
        self._values = {program.parameters[name]: value for name, value in values.items()}
        self._functions: dict[str, Run] = {}

    def action(self, name: str) -> Run:
        """The function of an action, as `Program.define` describes it."""
        function = self._functions.get(name)
        if function is None:
            action = self._program.system.action(name)
            function = self._program.define(f"action {name}", action, action.guard, self._values)
            self._functions[name] = function
        return function

    def clauses(self, key: str) -> Run:
        """The function of the system's `urgency` or `initial` clauses."""
        if key not in self._functions:
            parts = {"urgency": self._program.system.urgency, "initial": self._program.system.initial}[key]
            self._functions[key] = self._program.define(key, None, parts, self._values)
        return self._functions[key]


def program(system: System, at: Mapping[str, Value] | None = None) -> BoundProgram:
    """The compiled form of a system, with `at` as the values of its open parameters.

    ModelError names the parameters that lack a number and the names that are no parameter.
    """
    given = dict(at or {})
    if given.keys() != set(system.parameters):
        missing = [name for name in system.parameters if name not in given]
        surplus = [name for name in given if name not in system.parameters]
        raise ModelError(
            f"system {system.name!r} cannot run: "
            + (
                f"no number for {', '.join(missing)}; use System.at"
                if missing
                else f"no parameter {', '.join(surplus)}"
            )
        )
    bound = system.cache.get("program") if not given else None
    if bound is None:
        root, values = system, given
        while root.origin is not None:
            root, more = root.origin
            values = {**more, **values}
        shared = root.cache.get("template")
        if shared is None:
            shared = root.cache["template"] = Program(root)
        bound = BoundProgram(shared, values)
        if not given:
            system.cache["program"] = bound
    return bound
