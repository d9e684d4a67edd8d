"""How states are swapped: one swap after another, and the representative that the generated source picks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from latchcheck.engines import layout
from latchcheck.engines.layout import Layout
from latchcheck.engines.packed_actions import Blocks
from latchcheck.engines.symmetry import Image, Symmetry, canonical, images, neighbours
from latchcheck.kernel import Enum, IntRange, System, Value, Variable
from latchcheck.kernel.compiling import define

OWNER = Enum("ImageOwner", ("nobody", "a", "b", "c"))
TASKS = ("x", "y")
WORKERS = ("a", "b", "c")
# A table of two tasks by three workers, what each has, and references of two widths.
SYSTEM = System(
    "images",
    (
        *(Variable(f"cell_{t}_{w}", IntRange(0, 5), 0) for t in TASKS for w in WORKERS),
        *(Variable(f"owner_{t}", OWNER, "nobody") for t in TASKS),
        *(Variable(f"task_of_{w}", IntRange(3, 9), 3) for w in WORKERS),
        Variable("last", OWNER, "nobody"),
        Variable("left_alone", IntRange(0, 3), 0),
    ),
    (),
)
NAMES = tuple(variable.name for variable in SYSTEM.variables)
GROUPS = (
    Symmetry(
        tuple((*(f"cell_{t}_{w}" for w in WORKERS), f"owner_{t}") for t in TASKS),
        {f"task_of_{w}": (4, 9) for w in WORKERS},
    ),
    Symmetry(
        tuple((*(f"cell_{t}_{w}" for t in TASKS), f"task_of_{w}") for w in WORKERS),
        {"owner_x": WORKERS, "owner_y": WORKERS, "last": WORKERS},
    ),
)
STATES = st.tuples(*(st.sampled_from(list(variable.domain.members())) for variable in SYSTEM.variables))
SWAPS = st.sampled_from(images(SYSTEM, GROUPS))


@given(state=STATES, first=SWAPS, second=SWAPS)
def test_one_swap_after_another_is_a_swap(state: Sequence[Value], first: Image, second: Image) -> None:
    """Two swaps joined do what the one and then the other does, references to moved variables included."""
    assert first.then(second).apply(NAMES, state) == second.apply(NAMES, first.apply(NAMES, state))


@given(state=STATES)
def test_all_swaps_are_made_of_neighbours(state: Sequence[Value]) -> None:
    """Swapping neighbours again and again reaches each of the 2 * 6 - 1 images, and nothing else."""
    found, waiting = {state}, [state]
    for one in waiting:
        for swap in neighbours(GROUPS):
            after = swap.apply(NAMES, one)
            if after not in found:
                found.add(after)
                waiting.append(after)
    every = images(SYSTEM, GROUPS)

    assert len(every) == 2 * 6 - 1
    assert found == {tuple(state), *(swap.apply(NAMES, state) for swap in every)}


@pytest.mark.parametrize("word_bits", [63, 4])
def test_the_representative_is_the_least_image(monkeypatch: pytest.MonkeyPatch, word_bits: Any) -> None:
    """The generated function, on one word or several, picks the least of all images, each swapped value by value."""
    monkeypatch.setattr(layout, "FIELD_BITS_MAX", word_bits)
    places, every = Layout.of(SYSTEM), images(SYSTEM, GROUPS)
    functions = []
    for split in (False, True):
        blocks = Blocks(SYSTEM, places, split=split)
        canonical(places, every)(blocks)
        functions.append(define("canonical", blocks.lines, blocks.constants))
    whole, split = functions

    @settings(max_examples=200, deadline=None)
    @given(state=STATES)
    def compare(state: Sequence[Value]) -> None:
        least = min(places.pack(one) for one in (state, *(swap.apply(NAMES, state) for swap in every)))
        packed = places.pack(state)
        words = [packed >> layout.WORD_BITS * word & (1 << layout.WORD_BITS) - 1 for word in range(places.words)]
        answer = split(*words)
        answer = answer if isinstance(answer, tuple) else (answer,)

        assert whole(packed) == least
        assert sum(word << layout.WORD_BITS * at for at, word in enumerate(answer)) == least

    compare()
