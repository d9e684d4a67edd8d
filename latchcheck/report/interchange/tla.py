"""A finite system and its properties as a TLA+ module that TLC runs.

TLC finds the same distinct states as the exhaustive search without symmetry: the same variables, the same initial
state, one TLA+ action for each action, and nothing besides them.
An "always" property is an invariant, a "never-changes" property an action property.
A "reachable" property is written down as the invariant that its witness breaks, and not checked unless asked for.
A "leads-to" property is checked only where fair actions are named: without fairness a run may stop for ever.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import attrs

from latchcheck.kernel import Action, Bool, Domain, Enum, IntRange, ModelError, Property, Sentence, System, Value

from .names import Names, one_line
from .tla_expressions import Expressions, label, number

NAME = "Latchcheck"

_WORDS = """
ACTION ASSUME ASSUMPTION AXIOM BOOLEAN BY CASE CHOOSE CONSTANT CONSTANTS COROLLARY DEF DEFINE DEFS DOMAIN ELSE ENABLED
EXCEPT EXTENDS FALSE HAVE HIDE IF IN INSTANCE LAMBDA LEMMA LET LOCAL MODULE NEW OBVIOUS OMITTED ONLY OTHER PICK PROOF
PROPOSITION PROVE QED RECURSIVE STATE STRING SUBSET SUFFICES TAKE TEMPORAL THEN THEOREM TRUE UNCHANGED UNION USE
VARIABLE VARIABLES WITH WITNESS
ACTION_CONSTRAINT ALIAS CHECK_DEADLOCK CONSTRAINT CONSTRAINTS INIT INVARIANT INVARIANTS NEXT POSTCONDITION PROPERTIES
PROPERTY SPECIFICATION SYMMETRY TYPE TYPE_CONSTRAINT VIEW
Init Int Nat Next Spec TypeOK vars
"""
RESERVED = frozenset(_WORDS.split())


@attrs.frozen
class Module:
    """A TLA+ module and the configuration with which TLC checks it; `files` are what to write, by name."""

    tla: str
    cfg: str

    @property
    def files(self) -> dict[str, str]:
        """File name to text."""
        return {f"{NAME}.tla": self.tla, f"{NAME}.cfg": self.cfg}


def to_tla(system: System, properties: Iterable[Property] = (), *, fair: Sequence[str] = ()) -> Module:
    """The module of a system with finite domains, and the configuration that checks the properties.

    `fair` names the actions that are not put off for ever once they stay possible (weak fairness).
    Raises ModelError for a clock, an open parameter or a dense domain, UnsupportedExpression for an operator or number
    that TLC has not.
    """
    if system.clock is not None:
        raise ModelError(f"system {system.name!r} has a clock; TLC counts, so export a system of finite domains")
    if system.parameters:
        raise ModelError(f"system {system.name!r} has no number for {', '.join(system.parameters)}; use System.at")
    for name in fair:
        system.action(name)
    writer = _Writer(system, tuple(properties))
    lines = [
        f"---- MODULE {NAME} ----",
        *_comment(f"{system.name}, written by latchcheck."),
        "EXTENDS Integers",
        "",
        "VARIABLES " + ", ".join(writer.variables.values()),
        "",
        f"vars == <<{', '.join(writer.variables.values())}>>",
        "",
        *writer.types(),
        "",
        *writer.start(),
        "",
        *(line for action in system.actions for line in (*writer.action(action), "")),
        *writer.next(),
        "",
        "Spec ==",
        "    /\\ Init",
        "    /\\ [][Next]_vars",
        *(f"    /\\ WF_vars({writer.actions[name]})" for name in fair),
        "",
        *(line for one in writer.properties for line in (*writer.claim(one), "")),
        "====",
    ]
    return Module("\n".join(lines) + "\n", "\n".join(_configuration(writer, fairness=bool(fair))) + "\n")


class _Writer:
    """The parts of the module."""

    def __init__(self, system: System, properties: tuple[Property, ...]) -> None:
        self.system = system
        self.properties = properties
        names = Names(RESERVED)
        self.variables = {variable.name: names.new(variable.name) for variable in system.variables}
        self.actions = {action.name: names.new(action.name) for action in system.actions}
        self.claims = {
            one.id: names.new(f"Never_{one.id}" if one.expectation == "reachable" else one.id) for one in properties
        }
        self.clauses = {one.id: [names.new(f"{self.claims[one.id]}_clause") for _ in one.clauses] for one in properties}
        self.whens = {
            one.id: names.new(f"{self.claims[one.id]}_when") for one in properties if one.antecedent is not None
        }
        self.names = names

    def types(self) -> Iterator[str]:
        """What each variable can hold."""
        yield "TypeOK =="
        for variable in self.system.variables:
            yield f"    /\\ {self.variables[variable.name]} \\in {_domain(variable.name, variable.domain)}"

    def start(self) -> Iterator[str]:
        """The initial state."""
        conditions = [clause.expr for clause in self.system.initial]
        exprs = Expressions(self.system.nodes, conditions, self.variables, self.names.inner())
        yield "Init =="
        yield from _let(exprs.definitions[0], 4)
        for variable in self.system.variables:
            yield f"    /\\ {self.variables[variable.name]} = {_literal(variable.initial)}"
        for clause in self.system.initial:
            yield f"    /\\ {exprs.text(clause.expr)}  \\* {one_line(clause.label)}"

    def action(self, action: Action) -> Iterator[str]:
        """One action: each guard as far out as its choices allow, then the updates."""
        names = self.names.inner()
        choices = {choice.name: names.new(choice.name) for choice in action.choices}
        roots = [*(clause.expr for clause in action.guard), *action.updates.values()]
        exprs = Expressions(self.system.nodes, roots, {**self.variables, **choices}, names, tuple(choices))
        yield from _comment(f"{action.party}: {action.name}")
        for sentence in action.sentences:
            yield from _comment(_quoted(sentence))
        yield f"{self.actions[action.name]} =="
        indent = 4
        for level, choice in enumerate((None, *action.choices)):
            if choice is not None:
                domain = _domain(choice.name, choice.domain)
                yield f"{' ' * indent}/\\ \\E {choices[choice.name]} \\in {domain} :"
                indent += 4
            yield from _let(exprs.definitions[level], indent)
            for clause in action.guard:
                if exprs.level(clause.expr) == level:
                    yield f"{' ' * indent}/\\ {exprs.text(clause.expr)}  \\* {one_line(clause.label)}"
        for name, expr in action.updates.items():
            yield f"{' ' * indent}/\\ {self.variables[name]}' = {exprs.text(expr)}"
        same = [source for name, source in self.variables.items() if name not in action.updates]
        if same:
            yield f"{' ' * indent}/\\ UNCHANGED <<{', '.join(same)}>>"

    def next(self) -> Iterator[str]:
        """Any action."""
        yield "Next =="
        for name in self.actions.values():
            yield f"    \\/ {name}"
        # Old releases of TLC switch the search for deadlocks off by an option of the command line only.
        yield "    \\/ UNCHANGED vars  \\* so that no state without a step counts as a deadlock"

    def claim(self, one: Property) -> Iterator[str]:
        """A property: its sentence, an operator a clause, and what is claimed of them."""
        name = self.claims[one.id]
        yield from _comment(f"{one.id} ({one.keyword}): {_quoted(one.sentence)}")
        clauses, when = self.clauses[one.id], self.whens.get(one.id)
        for operator, clause in zip(clauses, one.clauses, strict=True):
            yield from _comment(clause.label)
            yield from self._operator(operator, clause.expr)
        if when is not None:
            yield from self._operator(when, one.antecedent)
        together = " /\\ ".join(clauses) or "TRUE"
        if one.expectation == "reachable":
            met = " /\\ ".join([*([when] if when else []), *clauses]) or "TRUE"
            yield f"{name} == ~({met})"
        elif one.expectation == "never-changes":
            kept = " /\\ ".join(f"({clause}' <=> {clause})" for clause in clauses) or "TRUE"
            yield f"{name} == [][{when or 'TRUE'} => {kept}]_vars"
        elif one.expectation == "leads-to":
            yield f"{name} == ({when or 'TRUE'}) ~> ({together})"
        else:
            yield f"{name} == ({when or 'TRUE'}) => ({together})"

    def _operator(self, name: str, expr: object) -> Iterator[str]:
        exprs = Expressions(self.system.nodes, [expr], self.variables, self.names.inner())
        yield f"{name} =="
        yield from _let(exprs.definitions[0], 4)
        yield f"    {exprs.text(expr)}"


def _configuration(writer: _Writer, *, fairness: bool) -> Iterator[str]:
    yield "SPECIFICATION Spec"
    yield "INVARIANT TypeOK"
    for one in writer.properties:
        name = writer.claims[one.id]
        if one.expectation == "always":
            yield f"INVARIANT {name}"
        elif one.expectation == "never-changes" or (one.expectation == "leads-to" and fairness):
            yield f"PROPERTY {name}"
        elif one.expectation == "reachable":
            yield f"\\* INVARIANT {name} is broken by a run that reaches it"
        else:
            yield f"\\* PROPERTY {name} needs a Spec with fairness"


def _let(definitions: Sequence[str], indent: int) -> Iterator[str]:
    if definitions:
        margin = " " * indent
        yield f"{margin}LET {definitions[0]}"
        for definition in definitions[1:]:
            yield f"{margin}    {definition}"
        yield f"{margin}IN"


def _domain(name: str, domain: Domain) -> str:
    if isinstance(domain, Bool):
        return "BOOLEAN"
    if isinstance(domain, Enum):
        return "{" + ", ".join(label(value) for value in domain.values) + "}"
    if not isinstance(domain, IntRange):
        raise ModelError(f"{name!r} is a dense number; TLC counts, so give it an IntRange")
    return f"{number(domain.lo)}..{number(domain.hi)}"


def _literal(value: Value) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return label(value) if isinstance(value, str) else number(value)


def _quoted(sentence: Sentence) -> str:
    return f"{sentence.text} [{sentence.source}, {sentence.where}]"


def _comment(text: str) -> Iterator[str]:
    yield f"\\* {one_line(text)}"
