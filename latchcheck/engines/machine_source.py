"""Writes the search for the machine: successors are gathered in a buffer and looked up together.

A look-up in a table of many megabytes waits for the memory; a thousand of them, asked for ahead, wait at the same time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .layout import WORD_BITS, Field
from .packed_actions import Fired
from .packed_source import COARSE, DONE, FULL, GOING, LIMIT, RANGE, VIOLATED, Body

# An entry of a table of positions: the position of the state plus one, above it some bits of the hash, 0 when empty.
POSITION_BITS = 28
AHEAD = 1024

_HELPERS = f"""\
def mix(word: "i64") -> 1:
    word = (word ^ (word >> 32)) * -7046029254386353131
    word = (word ^ (word >> 29)) * -4658895280553007687
    return word ^ (word >> 32)
def slot_of(hashed: "i64", size: "i64") -> 1:
    return ((hashed & {(1 << 32) - 1}) * size) >> 32
def entry_of(hashed: "i64", position: "i64") -> 1:
    return (((hashed >> 33) & 15) << {POSITION_BITS}) | (position + 1)
"""

_REFILL_WORDS = """\
def refill(states: "i64*", count: "i64", table: "i64*", slots: "i64*", size: "i64", ahead: "i64") -> 1:
    start = 0
    while start < count:
        stop = start + ahead if start + ahead < count else count
        for at in range(start, stop):
            slot = slot_of(mix(states[at]), size)
            slots[at - start] = slot
            prefetch(table, slot)
        for at in range(start, stop):
            slot = slots[at - start]
            while table[slot] != -1:
                slot = slot + 1 if slot + 1 < size else 0
            table[slot] = states[at]
        start = stop
    return 0
"""

_REFILL_POSITIONS = """\
def refill(states: "u8*", count: "i64", table: "u32*", slots: "i64*", size: "i64", ahead: "i64") -> 1:
    start = 0
    while start < count:
        stop = start + ahead if start + ahead < count else count
        for at in range(start, stop):
            slot = slot_of({hash}, size)
            slots[at - start] = slot
            prefetch(table, slot)
        for at in range(start, stop):
            slot = slots[at - start]
            while table[slot] != 0:
                slot = slot + 1 if slot + 1 < size else 0
            table[slot] = entry_of({hash}, at)
        start = stop
    return 0
"""

_LOOK_UP_WORDS = """\
for k in range(n):
    slot = slot_of(mix(buffer[k]), size)
    slots[k] = slot
    prefetch(table, slot)
for k in range(n):
    new = buffer[k]
    slot = slots[k]
    known = table[slot]
    while known != new:
        if known == -1:
            if count >= limit:
                how = {LIMIT}
                break
            table[slot] = new
            states[count] = new
            bit = count + links[k]
            ancestry[bit >> 5] |= 1 << (bit & 31)
            count += 1
            break
        slot = slot + 1 if slot + 1 < size else 0
        known = table[slot]
    if how == {LIMIT}:
        break
"""

_LOOK_UP_POSITIONS = """\
for k in range(n):
    hashed = {hash}
    slot = slot_of(hashed, size)
    slots[k] = slot
    tags[k] = entry_of(hashed, -1)
    prefetch(table, slot)
for k in range(n):
    known = table[slots[k]] & {MASK}
    if known != 0:
        base = (known - 1) * {row}
        prefetch(states, base)
for k in range(n):
    slot = slots[k]
    tag = tags[k]
    looking = True
    while looking:
        known = table[slot]
        if known == 0:
            if count >= limit:
                how = {LIMIT}
                break
            table[slot] = tag + count + 1
{store}
            bit = count + links[k]
            ancestry[bit >> 5] |= 1 << (bit & 31)
            count += 1
            break
        base = ((known & {MASK}) - 1) * {row}
        if known - (known & {MASK}) == tag:
            if {same}:
                looking = False
        slot = slot + 1 if slot + 1 < size else 0
    if how == {LIMIT}:
        break
"""


class MachineSearch(Body):
    """Source of `search(...)`, and of `refill(...)`, which fills a larger table.

    `cursor` holds the next state to take, the number of states, where to stop, and after an update out of range the
    action, the field and the value.
    Where one word suffices `states` has one number a state, and so has `table`; else `states` has as many bytes a state
    as its words fill, and `table` holds positions. `ancestry` is the memory of an Ancestry.
    """

    split = True

    def write(self) -> None:
        """The lines of the function."""
        blocks, words = self.blocks, self.blocks.words
        blocks.lines[:0] = [*_HELPERS.splitlines(), *self._refill()]
        rows, table = ("i64*", "i64*") if words == 1 else ("u8*", "u32*")
        arrays = ("fired", "reached", "found", "broken", "edges", "buffer", "links", "slots", "tags", "cursor")
        parameters = [f'states: "{rows}", ancestry: "u32*", table: "{table}"', *(f'{name}: "i64*"' for name in arrays)]
        numbers = ("size", "limit", "room", "full", "first")
        parameters += [f'{name}: "i64"' for name in numbers]
        blocks.line(f"def search({', '.join(parameters)}) -> 1:")
        for line in ("at, count, stop = cursor[0], cursor[1], cursor[2]", "hit = False"):
            blocks.line(line)
        blocks.line(f"how = {GOING}")
        blocks.line(f"while how == {GOING} and at < stop:")
        blocks.line("if count > full:")
        blocks.line(f"how = {FULL}")
        blocks.line("break")
        blocks.level -= 1
        blocks.line("n = 0")
        blocks.line("while at < stop and at < count and n <= room:")
        for word in range(words):
            blocks.line(f"s{word} = {self._kept('at', word)}")
        scope = self.unpack()
        for k in range(len(self.plan.properties)):
            self.judge(k, scope)
        self._leave()
        self.successors(scope)
        blocks.line("at += 1")
        self._leave()
        blocks.level -= 1
        self._look_up()
        blocks.line(f"if how == {GOING} and hit and first:")
        blocks.line(f"how = {VIOLATED}")
        blocks.level -= 1
        blocks.line(f"if how == {GOING} and at >= count:")
        blocks.line(f"how = {DONE}")
        blocks.level = 1
        blocks.line("cursor[0], cursor[1] = at, count")
        blocks.line("return how")

    def _leave(self) -> None:
        self.blocks.line("if hit and first:")
        self.blocks.line("break")
        self.blocks.level -= 1

    def _kept(self, position: str, word: int) -> str:
        """The source of a word of a state that is kept."""
        return "states[" + position + "]" if self.blocks.words == 1 else self._at(f"{position} * {self._row}", word)

    def _at(self, base: str, word: int) -> str:
        """The source of a word of the row that begins at a byte."""
        sizes = self.plan.layout.sizes
        start, bits = sum(sizes[:word]), 8 * sizes[word]
        found = f"word(states, {base}{f' + {start}' if start else ''})"
        return found if bits == WORD_BITS else f"({found} & {(1 << bits) - 1})"

    @property
    def _row(self) -> int:
        """The bytes of a row of several words."""
        return sum(self.plan.layout.sizes)

    def _store(self) -> Iterator[str]:
        """The lines that add a row: what a word writes beyond its bytes is written over by what comes after it."""
        start = 0
        for word, size in enumerate(self.plan.layout.sizes):
            yield f"put_word(states, count * {self._row} + {start}, buffer[k * {self.blocks.words} + {word}])"
            start += size

    def _refill(self) -> list[str]:
        words = range(self.blocks.words)
        text = _REFILL_WORDS
        if self.blocks.words > 1:
            text = _REFILL_POSITIONS.format(hash=_hashed([self._kept("at", word) for word in words]))
        return text.splitlines()

    def _look_up(self) -> None:
        words = self.blocks.words
        if words == 1:
            text = _LOOK_UP_WORDS.format(LIMIT=LIMIT)
        else:
            sought = [f"buffer[k * {words} + {word}]" for word in range(words)]
            text = _LOOK_UP_POSITIONS.format(
                LIMIT=LIMIT,
                MASK=(1 << POSITION_BITS) - 1,
                hash=_hashed(sought),
                row=self._row,
                store="\n".join(f"            {line}" for line in self._store()),
                same=" and ".join(f"{self._at('base', word)} == {one}" for word, one in enumerate(sought)),
            )
        self.blocks.lines += ["    " * self.blocks.level + line for line in text.splitlines()]

    def fanout(self) -> int | None:
        """How many successors a state has at most, or None where nothing tells."""
        found = [self.blocks.terms.fanout(action) for action in self.plan.system.actions]
        return None if None in found else sum(one for one in found if one is not None) + 1

    def coarse(self, divisor: int) -> Sequence[str]:
        """End the search: it will begin again with finer parts."""
        return (f"cursor[3] = {divisor}", f"return {COARSE}")

    def fail(self, code: int, field: Field, source: str) -> None:
        """End the search at a value outside its range."""
        position = list(self.plan.layout.fields).index(field.variable.name)
        self.blocks.line(
            f"cursor[0], cursor[1], cursor[3], cursor[4], cursor[5] = at, count, {code}, {position}, {source}"
        )
        self.blocks.line(f"return {RANGE}")

    def fire(self, fired: Fired) -> None:
        """Count the step and put its state into the buffer."""
        blocks, words = self.blocks, self.blocks.words
        blocks.line(f"fired[{fired.code}] += 1")
        self.after(fired)
        for word in range(words):
            blocks.line(f"buffer[n * {words} + {word}] = t{word}" if words > 1 else "buffer[n] = t0")
        blocks.line("links[n] = at")
        blocks.line("n += 1")


def _hashed(words: Sequence[str]) -> str:
    """The source of the hash of a state."""
    found = f"mix({words[0]})"
    for word in words[1:]:
        found = f"mix({found} ^ {word})"
    return found
