"""Every repair that is offered for an example, applied and asked again."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from latchcheck.kernel.verdict import PropertyVerdict, Repair
from latchcheck.model.config import Config
from latchcheck.model.reading import read
from latchcheck.properties.timing import verify

FOLDER = Path(__file__).parents[2] / "docs" / "examples"
# The examples of other verbs are no configurations.
OTHERS = ("audit", "project", "wording")
FILES = sorted(
    str(file.relative_to(FOLDER)) for file in FOLDER.rglob("*.toml") if file.relative_to(FOLDER).parts[0] not in OTHERS
)
PAIRS = [
    ("strands-py", "mcp-py-1", "2m"),
    ("strands-py", "mcp-ts-1", "[0s,5m]"),
    ("anda", "tower-mcp", "[0s,5m]"),
    ("csharp-tasks", "quarkus-tasks", "[0s,1h]"),
    ("mcpjam", "rmcp", "[0s,4m]"),
    ("strands-py", "fastmcp-tasks", "[0s,5m]"),
]
HELD = {"proved", "holds", "not-applicable"}


@cache
def example(name: str) -> Config:
    """A file of the examples, or a pair of presets with its execution time."""
    if name.endswith(".toml"):
        return read([str(FOLDER / name)])
    client, server, execution = name.split("+")
    return read(client=client, server=server, sets=[f"workload.execution={execution}"])


@cache
def verdicts(name: str) -> tuple[PropertyVerdict, ...]:
    """The verdicts on an example."""
    return verify(example(name)).properties


NAMES = [*FILES, *("+".join(pair) for pair in PAIRS)]


def repairs(name: str) -> Iterator[tuple[PropertyVerdict, Repair]]:
    """Every repair that is offered for the example, with the verdict that it repairs."""
    for verdict in verdicts(name):
        for repair in verdict.repairs:
            yield verdict, repair


@pytest.mark.parametrize("name", NAMES)
def test_a_repair_makes_its_property_hold_and_breaks_no_other(name: str) -> None:
    """The repaired configuration is proved for the property, and for whatever held before."""
    held = {one.id for one in verdicts(name) if one.verdict in HELD}
    for verdict, repair in repairs(name):
        after = {one.id: one.verdict for one in verify(example(name).replace(repair.set)).properties}

        assert (repair.set, "proved") == (repair.set, after[verdict.id])
        assert (repair.set, set()) == (repair.set, {one for one in held if after[one] not in HELD})


@pytest.mark.parametrize("name", NAMES)
def test_a_repair_of_a_single_number_is_the_smallest(name: str) -> None:
    """With one millisecond less of the change the property does not hold."""
    config = example(name)
    for verdict, repair in repairs(name):
        [(knob, value), *others] = repair.set.items()
        old = config.flat()[knob]
        if others or isinstance(value, bool) or not isinstance(value, int) or not isinstance(old, int):
            continue
        less = value - 1 if value > old else value + 1
        after = verify(config.replace({knob: less}), [verdict.id]).properties[0]

        assert (repair.set, True) == (repair.set, after.verdict not in HELD)
        assert abs(value - old) == repair.cost_ms


@pytest.mark.parametrize("name", NAMES)
def test_a_repair_is_minimal(name: str) -> None:
    """Nothing in a repair can be left out, and no number in it can be a millisecond nearer to what it is now."""
    config = example(name)
    for verdict, repair in repairs(name):
        held = {one.id for one in verdicts(name) if one.verdict in HELD}
        smaller = [{key: value for key, value in repair.set.items() if key != left_out} for left_out in repair.set]
        for knob, value in repair.set.items():
            old = config.flat()[knob]
            if isinstance(value, int) and isinstance(old, int) and not isinstance(value, bool):
                smaller.append({**repair.set, knob: value + (-1 if value > old else 1)})
        for changes in filter(None, smaller):
            after = {one.id: one.verdict for one in verify(config.replace(changes)).properties}
            repaired = after[verdict.id] == "proved" and all(after[one] in HELD for one in held)
            assert (changes, False) == (changes, repaired)


@pytest.mark.parametrize("name", NAMES)
def test_no_repair_contains_another(name: str) -> None:
    """A change of several keys is offered only where no part of it, as it stands there, is a repair by itself."""
    for verdict in verdicts(name):
        found = [set(repair.set.items()) for repair in verdict.repairs]
        contained = [dict(larger) for larger in found for smaller in found if smaller < larger]

        assert [] == contained
