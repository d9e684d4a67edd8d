"""Writes the search for numba: successors are gathered in a buffer and looked up together.

A look-up in a table of many megabytes waits for the memory; a thousand of them, asked for ahead, wait at the same time.
"""

from __future__ import annotations

from .layout import Field
from .packed_actions import Fired
from .packed_source import FULL, GOING, LIMIT, RANGE, VIOLATED, Body

DONE = FULL + 1
IMPORTS = """\
from numba import njit

from latchcheck.engines.numba_runtime import POSITION_BITS, POSITION_MASK, mix, prefetch, slot_of, tag_of
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
            parents[count] = links[k]
            count += 1
            break
        slot += 1
        if slot == size:
            slot = 0
        known = table[slot]
    if how == {LIMIT}:
        break
"""

_LOOK_UP_POSITIONS = """\
for k in range(n):
    hashed = {hash}
    slot = slot_of(hashed, size)
    slots[k] = slot
    tags[k] = tag_of(hashed)
    prefetch(table, slot)
for k in range(n):
    known = table[slots[k]] & POSITION_MASK
    if known != 0:
        prefetch(states, (known - 1) * {words})
for k in range(n):
    slot = slots[k]
    tag = tags[k]
    while True:
        known = table[slot]
        if known == 0:
            if count >= limit:
                how = {LIMIT}
                break
            table[slot] = tag << POSITION_BITS | (count + 1)
{store}
            parents[count] = links[k]
            count += 1
            break
        if known >> POSITION_BITS == tag:
            base = ((known & POSITION_MASK) - 1) * {words}
            if {same}:
                break
        slot += 1
        if slot == size:
            slot = 0
    if how == {LIMIT}:
        break
"""


class NumbaSearch(Body):
    """Source of `search(...)` over numpy arrays.

    `cursor` holds the next state to take, the number of states, where to stop, and after an update out of range the
    action, the field and the value.
    `states` has `words` numbers a state, `parents` one; `table` holds states where one word suffices, else positions.
    """

    split = True

    def write(self) -> None:
        """The lines of the function."""
        blocks, words = self.blocks, self.blocks.words
        blocks.lines[:0] = IMPORTS.splitlines()
        blocks.line("@njit(cache=True, error_model='numpy')")
        blocks.line(
            "def search(states, parents, table, fired, reached, found, broken, edges, "
            "buffer, links, slots, tags, cursor, limit, room, full, first):"
        )
        for line in ("at, count, stop = cursor[0], cursor[1], cursor[2]", "size = len(table)", "hit = False"):
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
            blocks.line(f"s{word} = states[at * {words} + {word}]" if words > 1 else "s0 = states[at]")
        scope = self.unpack()
        for k in range(len(self.plan.properties)):
            self.judge(k, scope)
        self._leave()
        for code, action in enumerate(self.plan.system.actions):
            self.actions.write(code, action, scope)
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

    def _look_up(self) -> None:
        words = self.blocks.words
        if words == 1:
            text = _LOOK_UP_WORDS.format(LIMIT=LIMIT)
        else:
            hashed = f"mix(buffer[k * {words}])"
            for word in range(1, words):
                hashed = f"mix({hashed} ^ buffer[k * {words} + {word}])"
            store = "\n".join(
                f"            states[count * {words} + {word}] = buffer[k * {words} + {word}]" for word in range(words)
            )
            same = " and ".join(f"states[base + {word}] == buffer[k * {words} + {word}]" for word in range(words))
            text = _LOOK_UP_POSITIONS.format(LIMIT=LIMIT, hash=hashed, words=words, store=store, same=same)
        self.blocks.lines += ["    " * self.blocks.level + line for line in text.splitlines()]

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
