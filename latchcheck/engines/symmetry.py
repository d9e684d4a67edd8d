"""Interchangeable members of a system: two states that differ only in which member is which are kept as one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import permutations
from math import factorial, prod

import attrs

from latchcheck.kernel import ModelError, System, Value

from .layout import Layout
from .packed_actions import Blocks

# Every state is compared with this many images at most.
IMAGES_MAX = 5040


@attrs.frozen
class Symmetry:
    """A group of members that may be swapped: tasks, workers, tenants, server instances.

    `members` names the variables of each member, position by position: (("status1", "owner1"), ("status2", "owner2")).
    `references` names the variables that say which member is meant, with the value for each member in the order of
    `members`; other values (nobody) stay. Members without variables of their own are empty tuples.
    Sound only where the system and the properties treat all members alike; `explore` tries that on a sample of the
    states it met and refuses what fails.
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


def neighbours(groups: Sequence[Symmetry]) -> tuple[Image, ...]:
    """The swaps of two members that stand side by side: every other way to swap is made of these, one after another."""
    found = []
    for group in groups:
        for first in range(len(group.members) - 1):
            order = list(range(len(group.members)))
            order[first], order[first + 1] = first + 1, first
            found.append(Image({}, {}).then(_swap(group, order)))
    return tuple(swap for swap in found if swap.goes or swap.becomes)


def _swaps(group: Symmetry) -> Iterable[Image]:
    """Every order of the members of one group."""
    return (_swap(group, order) for order in permutations(range(len(group.members))))


def _swap(group: Symmetry, order: Sequence[int]) -> Image:
    """Each member becomes the one that the order has in its place."""
    goes: dict[str, str] = {}
    for here, there in enumerate(order):
        goes |= dict(zip(group.members[here], group.members[there], strict=True))
    becomes = {
        name: {values[here]: values[there] for here, there in enumerate(order)}
        for name, values in group.references.items()
    }
    return Image(goes, becomes)


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
            for word in words:
                blocks.line(f"u{word} = s{word}")
            _rename(blocks, layout, swap)
            parts: list[list[str]] = [[] for _ in words]
            for source, place in _moves(blocks, layout, swap):
                parts[place].append(source)
            after = [" | ".join([_rest(blocks, layout, word, swap.goes), *parts[word]]) for word in words]
            blocks.line(f"{', '.join(f'u{word}' for word in words)} = {', '.join(after)}")
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
    return f"u{word} & {mask}"


def _moves(blocks: Blocks, layout: Layout, swap: Image) -> Iterable[tuple[str, int]]:
    """The source of fields in their new place, all that move alike together, and their new word."""
    together: dict[tuple[int, int, int], int] = {}
    for name, there in swap.goes.items():
        field = layout.fields[name]
        word, shift = blocks.place(field)
        place, up = blocks.place(layout.fields[there])
        key = (word, place, up - shift)
        together[key] = together.get(key, 0) | field.mask << shift
    for (word, place, distance), mask in together.items():
        shifted = f"<< {distance}" if distance >= 0 else f">> {-distance}"
        yield f"(u{word} & {mask}) {shifted}", place


def _rename(blocks: Blocks, layout: Layout, swap: Image) -> None:
    """Put the new value into every field that refers to a member, all fields that change alike at once.

    The fields of one width lie side by side as columns of bits: `b0` holds their lowest bits, `b1` the next ones. Where
    the old value stands, the bits in which the new one differs are flipped.
    """
    alike: dict[tuple[int, int, tuple[tuple[int, int], ...]], int] = {}
    for name, becomes in swap.becomes.items():
        field = layout.fields[name]
        word, shift = blocks.place(field)
        pairs = sorted((field.put(old), field.put(new)) for old, new in becomes.items())
        key = (word, field.bits, tuple((old, new) for old, new in pairs if old != new))
        alike[key] = alike.get(key, 0) | 1 << shift
    for (word, bits, pairs), lowest in alike.items():
        for bit in range(bits):
            blocks.line(f"b{bit} = u{word} >> {bit} & {lowest}")
        for old, new in pairs:
            columns = [f"b{bit}" if old >> bit & 1 else f"(b{bit} ^ {lowest})" for bit in range(bits)]
            blocks.line(f"here = {' & '.join(columns)}")
            flips = [f"here << {bit}" if bit else "here" for bit in range(bits) if (old ^ new) >> bit & 1]
            blocks.line(f"u{word} ^= {' | '.join(flips)}")
