"""The transition relation of a system and the induction of a property, as an SMT-LIB script.

The script asks two questions: can the initial state break the property (unsat: no), and can a step from a state that
satisfies it break it (unsat: no, the property is inductive; sat: it is not inductive, which is no violation by itself).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import z3

from latchcheck.kernel import Action, Bool, Choice, Domain, Enum, IntRange, ModelError, Property, Real, System, Value
from latchcheck.kernel.nodes import Node

from .names import one_line

_DEFINED = frozenset(("initial", "transition", "property", "domains"))
_NOT_QUOTED = str.maketrans("|\\", "__")
_OPERATORS = {
    "and": "and",
    "or": "or",
    "not": "not",
    "implies": "=>",
    "xor": "xor",
    "==": "=",
    "distinct": "distinct",
    "if": "ite",
    "neg": "-",
    **{op: op for op in ("<=", "<", ">=", ">", "+", "-", "*", "/", "div", "mod", "to_real", "to_int", "is_int")},
}


def to_smt2(system: System, asked: Property | None = None) -> str:
    """Declarations, `initial` and `transition`; with an "always" property also `property` and the two questions.

    A name followed by ' is the value after the step.
    The choices of an action are constants named "action.choice", so the relation is free of quantifiers; in a system
    with a clock every step also says to which instant time advances.
    Raises ModelError for a property of another expectation.
    """
    if asked is not None and asked.expectation != "always":
        raise ModelError(f'property {asked.id!r} is {asked.expectation!r}; the script proves an "always" by induction')
    writer = _Writer(system)
    lines = [
        f"; {one_line(system.name)}, written by latchcheck",
        "(set-logic ALL)",
        *writer.declarations(),
        "",
        *writer.define("initial", writer.initial()),
        *writer.actions(),
        *writer.define(
            "transition", _joined("or", (_quoted(f"do {action.name}") for action in system.actions), "false")
        ),
    ]
    if asked is not None:
        lines += [f"; {asked.id}: {one_line(asked.sentence.text)}", *writer.property(asked)]
        lines += ["", '(echo "the initial state breaks it:")', "(push 1)"]
        lines += ["(assert initial)", "(assert (not property))", "(check-sat)", "(pop 1)"]
        lines += ['(echo "a step from a state that satisfies it breaks it:")', "(push 1)"]
        lines += ["(assert domains)", "(assert property)", "(assert transition)", "(assert (not |property'|))"]
        lines += ["(check-sat)", "(pop 1)"]
    return "\n".join(lines) + "\n"


class _Writer:
    """The parts of the script."""

    def __init__(self, system: System) -> None:
        self.system = system
        choices = [choice for action in system.actions for choice in action.choices]
        domains = [one.domain for one in (*system.variables, *choices)]
        # Two enums may share a label, which SMT-LIB does not allow, so all labels are of one sort and an enum is a
        # condition on it, as a range of integers is.
        self.labels = sorted({value for domain in domains if isinstance(domain, Enum) for value in domain.values})
        self.before = {variable.name: _name(variable.name) for variable in system.variables}
        self.after = {variable.name: _name(f"{variable.name}'") for variable in system.variables}
        self.parameters = {name: _name(name) for name in system.parameters}

    def declarations(self) -> Iterator[str]:
        """Sorts, variables before and after, parameters, choices; and `domains`, what the variables can hold."""
        if self.labels:
            labels = " ".join(f"({_label(value)})" for value in self.labels)
            yield f"(declare-datatypes ((Label 0)) (({labels})))"
        for variable in self.system.variables:
            for names in (self.before, self.after):
                yield f"(declare-const {names[variable.name]} {_sort(variable.domain)})"
        for name, term in self.system.parameters.items():
            yield f"(declare-const {self.parameters[name]} {term.sort().sexpr()})"
        for action in self.system.actions:
            for choice in action.choices:
                yield f"(declare-const {_choice(action, choice)} {_sort(choice.domain)})"
        for name, names in (("domains", self.before), ("domains'", self.after)):
            ranges = (_range(names[variable.name], variable.domain) for variable in self.system.variables)
            yield from self.define(name, _joined("and", filter(None, ranges)))

    def initial(self) -> str:
        """The initial state."""
        equal = [f"(= {self.before[v.name]} {_literal(v.domain, v.initial)})" for v in self.system.variables]
        exprs = [clause.expr for clause in self.system.initial]
        return self._body(exprs, {**self.before, **self.parameters}, lambda texts: _joined("and", [*equal, *texts]))

    def actions(self) -> Iterator[str]:
        """A definition an action: its choices in their domains, the instant, the guard, and the state after."""
        clock = self.system.clock
        # The action reads the instant to which time has advanced.
        known = {**self.before, **self.parameters} | ({} if clock is None else {clock: self.after[clock]})
        for action in self.system.actions:
            picked = {choice.name: _choice(action, choice) for choice in action.choices}
            fixed = [text for c in action.choices if (text := _range(picked[c.name], c.domain)) is not None]
            if clock is not None:
                fixed.append(f"(<= {self.before[clock]} {self.after[clock]})")
            guard = [*(c.expr for c in self.system.urgency), *(c.expr for c in action.guard)]
            same = [v.name for v in self.system.variables if v.name not in action.updates and v.name != clock]
            kept = [f"(= {self.after[name]} {self.before[name]})" for name in same]

            def together(
                texts: Sequence[str],
                action: Action = action,
                count: int = len(guard),
                fixed: Sequence[str] = fixed,
                kept: Sequence[str] = kept,
            ) -> str:
                pairs = zip(action.updates, texts[count:], strict=True)
                updates = [f"(= {self.after[name]} {text})" for name, text in pairs]
                return _joined("and", [*fixed, *texts[:count], *updates, *kept])

            body = self._body([*guard, *action.updates.values()], {**known, **picked}, together)
            yield f"; {one_line(action.party)}"
            yield from self.define(f"do {action.name}", body)

    def property(self, asked: Property) -> Iterator[str]:
        """The property before and after a step."""
        when = [] if asked.antecedent is None else [asked.antecedent]

        def together(texts: Sequence[str]) -> str:
            claim = _joined("and", texts[len(when) :])
            return f"(=> {texts[0]} {claim})" if when else claim

        exprs = [*when, *(clause.expr for clause in asked.clauses)]
        for name, names in (("property", self.before), ("property'", self.after)):
            yield from self.define(name, self._body(exprs, {**names, **self.parameters}, together))

    def define(self, name: str, body: str) -> Iterator[str]:
        """A definition of a condition."""
        yield f"(define-fun {_quoted(name)} () Bool"
        yield f"  {body})"

    def _body(self, exprs: Sequence[Any], sources: Mapping[str, str], together: Any) -> str:
        """What `together` makes of the texts of the expressions, inside a `let` for each shared subexpression."""
        nodes = self.system.nodes
        roots = [nodes.read(expr) for expr in exprs]
        uses: dict[int, int] = {}
        order = nodes.order(roots)
        for used in (*(child for ident in order for child in nodes.table[ident].children), *roots):
            uses[used] = uses.get(used, 0) + 1
        texts: dict[int, str] = {}
        lets: list[str] = []
        for ident in order:
            node = nodes.table[ident]
            text = _source(ident, node, texts, sources)
            if node.children and uses[ident] > 1:
                name = f"|let {len(lets)}|"
                lets.append(f"(let (({name} {text}))")
                text = name
            texts[ident] = text
        body = together([texts[root] for root in roots])
        return "\n  ".join([*lets, body + ")" * len(lets)])


def _source(ident: int, node: Node, texts: Mapping[int, str], sources: Mapping[str, str]) -> str:
    if node.op == "name":
        return sources[node.payload]
    if node.op in ("true", "false"):
        return node.op
    if node.op == "number":
        # z3 keeps each numeral once, so its identifier tells the real 2 from the integer 2.
        real = z3.RealVal(str(node.payload)).get_id() == ident
        return _number(node.payload, real=real)
    if node.op == "label":
        return _label(node.payload)
    args = [texts[child] for child in node.children]
    if node.op == "is":
        return f"(= {args[0]} {_label(node.payload)})"
    return f"({_OPERATORS[node.op]} {' '.join(args)})"


def _sort(domain: Domain) -> str:
    if isinstance(domain, Enum):
        return "Label"
    return {Bool: "Bool", IntRange: "Int", Real: "Real"}[type(domain)]


def _range(name: str, domain: Domain) -> str | None:
    """The condition that a value is in its domain; None where its sort says so already."""
    if isinstance(domain, IntRange):
        return f"(<= {_number(domain.lo)} {name} {_number(domain.hi)})"
    if isinstance(domain, Enum):
        return _joined("or", (f"(= {name} {_label(value)})" for value in domain.values))
    return None


def _literal(domain: Domain, value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return _label(value)
    return _number(value, real=isinstance(domain, Real))


def _number(value: int | Fraction, *, real: bool = False) -> str:
    if isinstance(value, Fraction) and value.denominator != 1:
        text = f"(/ {abs(value.numerator)}.0 {value.denominator}.0)"
    else:
        text = f"{abs(int(value))}.0" if real else str(abs(int(value)))
    return f"(- {text})" if value < 0 else text


def _joined(op: str, texts: Iterable[str], nothing: str = "true") -> str:
    parts = list(texts)
    if len(parts) > 1:
        return f"({op} {' '.join(parts)})"
    return parts[0] if parts else nothing


def _choice(action: Action, choice: Choice) -> str:
    return _quoted(f"{action.name}.{choice.name}")


def _label(text: str) -> str:
    return _quoted(f"label {text}")


def _name(name: str) -> str:
    """A variable; one that is named as a definition of the script is set apart."""
    return _quoted(f"variable {name}" if name.rstrip("'") in _DEFINED else name)


def _quoted(name: str) -> str:
    return "|" + one_line(name).translate(_NOT_QUOTED) + "|"
