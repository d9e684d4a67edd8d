"""Whether one wording asks for another whatever a model does: everything that they speak of is left free.

Few states and events are searched to the end (free.py); quantities and time are left to induction.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import z3

from latchcheck.kernel import Action, Bool, Choice, Clause, IntRange, Real, System, Variable

from .files import Reading
from .guessing import guesses, states_of
from .language import Sentence, phrases
from .lemmas import constants, proof
from .monitors import monitor, product
from .separating import separate_all, watch
from .words import Occurrence, Vocabulary, Word, World

STEP = "step"
COUNT_MAX = 10**15


def implied_by_wording(world: World, a: Reading, b: Reading) -> tuple[bool, bool]:
    """Whether in every model that starts as this one, a run that obeys A obeys B, and one that obeys B obeys A.

    The conditions that both use are left free, as far as they can hold together; every run of the monitors is searched
    or, with quantities or time, induction goes over any step of them: a proof for runs of any length.
    False where no such proof is found.
    """
    if a.assumptions != b.assumptions or a.sentence.pattern == "possibility" or b.sentence.pattern == "possibility":
        return False, False
    if a.sentence == b.sentence:
        return True, True
    from .free import free_world  # here, as it needs the records above

    free = None if world.system.clock is not None else free_world(world, (a.sentence, b.sentence))
    if free is None:
        return _by_induction(world, a, b)
    found = separate_all(watch(free, [a, b]), [(0, 1), (1, 0)])
    return found[0, 1] == (None, True), found[1, 0] == (None, True)


def _by_induction(world: World, a: Reading, b: Reading) -> tuple[bool, bool]:
    """Where induction shows that one monitor fails only where the other does."""
    loose = loose_world(world, (a.sentence, b.sentence))
    made = [monitor(loose, one.sentence, f"m{i}") for i, one in enumerate((a, b))]
    system = product(loose, made)
    watched = watch(world, [a, b])
    states = states_of(watched.system)
    remembered = {variable.name for one in made for variable in one.variables}
    if loose.instant is not None:
        remembered.add(str(loose.instant))
    pool = [
        one
        for one in guesses(watched.system, states, [False] * len(states))
        if {str(each) for each in constants(one)} <= remembered
    ]
    goals = [z3.Implies(other.failing, one.failing) for one, other in (made, made[::-1])]
    first, second = (proof(system, goal, pool) is not None for goal in goals)
    return first, second


def loose_world(world: World, sentences: Sequence[Sentence]) -> World:
    """A world in which any event may happen at any step, and states and quantities may be anything after it."""
    words = {one.text: world.vocabulary.words[one.text] for one in _phrases(sentences)}
    variables: dict[str, Variable] = {}
    choices: dict[str, Choice] = {}
    bound: list[Word] = []
    for i, (phrase, word) in enumerate(words.items()):
        found = world.value(phrase)
        if isinstance(found, Occurrence):
            choices[phrase] = Choice(f"event{i}", Bool())
            picked = {f"event{i}": z3.BoolVal(True)}
            bound.append(attrs.evolve(word, build=lambda _, picked=picked: Occurrence((STEP,), picked=picked)))
        elif word.kind == "quantity":
            domain = Real() if word.unit == "ms" else IntRange(-COUNT_MAX, COUNT_MAX)
            variables[phrase] = Variable(f"quantity{i}", domain, _at_start(world, found))
            bound.append(attrs.evolve(word, build=lambda _, term=variables[phrase].term: term))
        else:
            for name in map(str, constants(found)):
                variables[name] = world.system.variable(name)
            bound.append(attrs.evolve(word, build=lambda _, term=found: term))
    updates: dict[str, Any] = {}
    for variable in variables.values():
        choices[variable.name] = Choice(f"{variable.name}'", variable.domain)
        updates[variable.name] = choices[variable.name].term
    instant, guard = None, []
    if world.system.clock is not None:
        now = world.system.variable(world.system.clock)
        until = Choice(f"{now.name}'", Real())
        variables[now.name], choices[now.name] = now, until
        updates[now.name], instant = until.term, now.term
        guard = [Clause("time does not run backwards", until.term >= now.term)]
    step = Action(STEP, "anybody", guard, updates, tuple(choices.values()))
    system = System("anything", tuple({one.name: one for one in variables.values()}.values()), (step,))
    vocabulary = Vocabulary.of("anything", bound, timed=world.vocabulary.timed)
    return World("anything", system, None, vocabulary, "every model", instant=instant)


def _phrases(sentences: Sequence[Sentence]) -> list[Any]:
    found = [one for sentence in sentences for _, prop in sentence.props for one in phrases(prop)]
    return list({one.text: one for one in found}.values())


def _at_start(world: World, term: Any) -> Any:
    pairs = [(variable.term, variable.domain.literal(variable.initial)) for variable in world.system.variables]
    value: Any = z3.simplify(z3.substitute(term, *pairs))
    return value.as_long() if z3.is_int_value(value) else value.as_fraction()
