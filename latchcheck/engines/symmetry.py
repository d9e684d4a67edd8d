"""Interchangeable members of a system: two states that differ only in which member is which are kept as one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import permutations
from math import factorial, prod

import attrs

from latchcheck.kernel import ModelError, System, Value

from .layout import FIELD_BITS_MAX, Field, Layout
from .packed_actions import Blocks

# Every state is compared with this many images at most.
IMAGES_MAX = 5040


@attrs.frozen
class Symmetry:
    """A group of members that may be swapped: tasks, workers, tenants, server instances.

    `members` names the variables of each member, position by position: (("status1", "owner1"), ("status2", "owner2")).
    `references` names the variables that say which member is meant, with the value for each member in the order of
    `members`; other values (nobody) stay. Members without variables of their own are empty tuples.
    Sound only where the system and the properties treat all members alike; `explore` tries that on the first states it
    meets and refuses what fails.
    """

    members: tuple[tuple[str, ...], ...] = attrs.field(converter=lambda rows: tuple(tuple(row) for row in rows))
    references: Mapping[str, tuple[Value, ...]] = attrs.field(factory=dict)

    def __attrs_post_init__(self) -> None:
        sizes = {len(row) for row in self.members}
        names = [name for row in self.members for name in row]
        if len(sizes) > 1 or len(set(names)) != len(names):
            raise ModelError(f"members that can be swapped have as many variables each, and none twice: {self.members}")
        for name, values in self.references.items():
            if len(values) != len(self.members) or len(set(values)) != len(values):
                raise ModelError(f"reference {name!r} needs one value for each of {len(self.members)} members")


@attrs.frozen
class Image:
    """One way to swap: where each variable goes, and what becomes of values that refer to a member."""

    goes: Mapping[str, str]
    becomes: Mapping[str, Mapping[Value, Value]]

    def apply(self, names: Sequence[str], values: Sequence[Value]) -> tuple[Value, ...]:
        """The state after the swap."""
        after = dict(zip(names, values, strict=True))
        for name, value in zip(names, values, strict=True):
            after[self.goes.get(name, name)] = self.becomes.get(name, {}).get(value, value)
        return tuple(after[name] for name in names)

    def then(self, other: Image) -> Image:
        """This swap and another after it: a variable of a task and a worker moves twice."""
        names = dict.fromkeys((*self.goes, *other.goes))
        once = {name: self.goes.get(name, name) for name in names}
        goes = {name: other.goes.get(there, there) for name, there in once.items()}
        becomes: dict[str, Mapping[Value, Value]] = {}
        back = {there: here for here, there in self.goes.items()}
        for name in dict.fromkeys((*self.becomes, *(back.get(there, there) for there in other.becomes))):
            first, second = self.becomes.get(name, {}), other.becomes.get(self.goes.get(name, name), {})
            values = dict.fromkeys((*first, *second))
            becomes[name] = {value: second.get(first.get(value, value), first.get(value, value)) for value in values}
        return Image(
            {name: there for name, there in goes.items() if name != there},
            {name: swap for name, swap in becomes.items() if any(old != new for old, new in swap.items())},
        )


def images(system: System, groups: Sequence[Symmetry]) -> tuple[Image, ...]:
    """Every way to swap but the one that changes nothing; ModelError where there are too many or a name is unknown."""
    count = prod(factorial(len(group.members)) for group in groups)
    if count > IMAGES_MAX:
        raise ModelError(f"{count} ways to swap are more than {IMAGES_MAX}; declare fewer members interchangeable")
    for group in groups:
        _check(system, group)
    found = [Image({}, {})]
    for group in groups:
        found = [image.then(swap) for image in found for swap in _swaps(group)]
    return tuple(image for image in found if image.goes or image.becomes)


def _swaps(group: Symmetry) -> Iterable[Image]:
    """Every order of the members of one group."""
    for order in permutations(range(len(group.members))):
        goes: dict[str, str] = {}
        for here, there in enumerate(order):
            goes |= dict(zip(group.members[here], group.members[there], strict=True))
        becomes = {
            name: {values[here]: values[there] for here, there in enumerate(order)}
            for name, values in group.references.items()
        }
        yield Image(goes, becomes)


def _check(system: System, group: Symmetry) -> None:
    for row in group.members:
        for name, first in zip(row, group.members[0], strict=True):
            if system.variable(name).domain != system.variable(first).domain:
                raise ModelError(f"{name!r} and {first!r} hold different things, so their members are not alike")
    for name, values in group.references.items():
        domain = system.variable(name).domain
        if any(domain.normal(value) is None for value in values):
            raise ModelError(f"reference {name!r} cannot hold all of {values}")


def canonical(layout: Layout, swaps: Sequence[Image]) -> Callable[[Blocks], None]:
    """Write `canonical(t0, ...)`: the least of a state and its images, compared from the last word down."""

    def write(blocks: Blocks) -> None:
        words = range(blocks.words)
        names = ", ".join(f"t{word}" for word in words)
        parameters = ", ".join(f't{word}: "i64"' for word in words)
        blocks.line(f"def canonical({parameters}) -> {blocks.words}:")
        for word in words:
            blocks.line(f"s{word} = t{word}")
        for swap in swaps:
            moved = [*swap.goes, *(name for name in swap.becomes if name not in swap.goes)]
            parts: list[list[str]] = [[] for _ in words]
            for source, place in _moves(blocks, layout, moved, swap):
                parts[place].append(source)
            for word in words:
                blocks.line(f"u{word} = {' | '.join([_rest(blocks, layout, word, moved), *parts[word]])}")
            blocks.line(f"if {_less(blocks.words)}:")
            for word in words:
                blocks.line(f"t{word} = u{word}")
            blocks.level -= 1
        blocks.line(f"return {names}")
        blocks.level = 0

    return write


def _less(words: int) -> str:
    """The source of: u is less than t, the last word weighing most."""
    text = "u0 < t0"
    for word in range(1, words):
        text = f"u{word} < t{word} or (u{word} == t{word} and ({text}))"
    return text


def _rest(blocks: Blocks, layout: Layout, word: int, moved: Iterable[str]) -> str:
    """The source of a word without the fields that move."""
    gone = set(moved)
    mask = 0
    for name, field in layout.fields.items():
        place, shift = blocks.place(field)
        if place == word and name not in gone:
            mask |= field.mask << shift
    return f"s{word} & {mask}"


def _moves(blocks: Blocks, layout: Layout, moved: Iterable[str], swap: Image) -> Iterable[tuple[str, int]]:
    """The source of each moved field in its new place, neighbours that move alike together, and its new word."""
    together: dict[tuple[int, int, int], int] = {}
    for name in moved:
        field, target = layout.fields[name], layout.fields[swap.goes.get(name, name)]
        word, shift = blocks.place(field)
        place, up = blocks.place(target)
        if name in swap.becomes:
            yield f"({_renamed(field, swap.becomes[name], f's{word} >> {shift} & {field.mask}')}) << {up}", place
        else:
            key = (word, place, up - shift)
            together[key] = together.get(key, 0) | field.mask << shift
    for (word, place, distance), mask in together.items():
        shifted = f"<< {distance}" if distance >= 0 else f">> {-distance}"
        yield f"(s{word} & {mask}) {shifted}", place


def _renamed(field: Field, becomes: Mapping[Value, Value], kept: str) -> str:
    """The source of what a field holds after values were renamed: looked up in the bits of one number."""
    pairs = {field.put(old): field.put(new) for old, new in becomes.items()}
    width = field.bits
    if (field.mask + 1) * width < FIELD_BITS_MAX:
        packed = sum(pairs.get(value, value) << value * width for value in range(field.mask + 1))
        return f"{packed} >> ({kept}) * {width} & {field.mask}"
    text = f"({kept})"
    for old, new in pairs.items():
        text = f"({new} if ({kept}) == {old} else {text})"
    return text
