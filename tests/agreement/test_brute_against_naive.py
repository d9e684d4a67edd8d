"""The quick oracle against the slow one, which takes one event at a time and reasons about nothing."""

import pytest

from tests.agreement.brute import client_alone
from tests.agreement.brute_grid import world
from tests.agreement.brute_naive import naive
from tests.agreement.brute_patience import patience
from tests.agreement.brute_search import UNSEEN, Search
from tests.agreement.draws import draw

SEEDS = (
    *(1, 2, 3, 10, 14, 16, 19, 23, 25, 26, 30, 32, 36, 43, 51, 59, 68),
    *(
        61,
        118,
        210,
        231,
        262,
        282,
        312,
        313,
        334,
        385,
        388,
        506,
        532,
        622,
        627,
        636,
        765,
        787,
        873,
        950,
        981,
        1327,
        7550,
    ),
)
"""Draws that the slow search decides in well under a second, the second row for the corners that few draws turn on."""


@pytest.mark.parametrize("seed", SEEDS)
def test_both_searches_find_the_same_harm(seed: int) -> None:
    """Every property broken by some run of single events is broken in the quick search, and no other."""
    given = draw(seed, longest=5)
    system = world(given)
    assert naive(system) - {UNSEEN} == Search(system).run().harm


@pytest.mark.parametrize("seed", SEEDS)
def test_both_searches_agree_on_patience(seed: int) -> None:
    """The same, for a client whose server lets every execution run its course."""
    alone = world(client_alone(draw(seed, longest=5)))
    assert naive(alone) & {UNSEEN} == patience(alone).harm
