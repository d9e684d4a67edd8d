"""Targets: what there is, and what becomes of a saved counterexample on one."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .fixtures import fixture_case

if TYPE_CHECKING:  # each function imports what it needs, so that --help does not pay for the solver
    from latchcheck.counterexamples import Fixture
    from latchcheck.counterexamples.targets import Target
    from latchcheck.counterexamples.targets.outcomes import Ran, Setting
    from latchcheck.model.scope import Scope


def open_target(name: str) -> Target:
    """The target of that name. Raises UnknownTarget, for which `is_bad_input` is true; starts nothing."""
    from latchcheck.counterexamples.targets import target

    return target(name)


def replay_on_target(fixture: Fixture, target: Target) -> Ran:
    """What becomes of a fixture on a target, told in an era that the target speaks."""
    from latchcheck.counterexamples import Stale
    from latchcheck.counterexamples.targets import TargetError
    from latchcheck.counterexamples.targets.outcomes import Ran
    from latchcheck.counterexamples.targets.replaying import replay_on
    from latchcheck.counterexamples.targets.timed import replay_timed

    try:
        fixture = in_era_of(fixture, target)
        setting = target_setting(fixture)
        if setting is None:
            return replay_timed(fixture, fixture_case(fixture), target)
    except Stale as stale:
        return Ran(fixture, target.name, "stale", str(stale))
    except TargetError as error:  # a driver that cannot even say what it can do
        return Ran(fixture, target.name, "failed", f"{error.outcome}: {error}")
    return replay_on(fixture, setting, target)


def applies_to(fixture: Fixture, target: Target) -> bool:
    """Whether a target can be asked for every step of a fixture, as far as its table tells. Raises TargetError."""
    return why_not(fixture, target) is None


def why_not(fixture: Fixture, target: Target) -> str | None:
    """Why a target cannot be asked for the steps of a fixture, as far as its table tells; None where it can.

    Raises TargetError.
    """
    from latchcheck.counterexamples import Stale
    from latchcheck.counterexamples.targets.replaying import ruled_out
    from latchcheck.counterexamples.targets.timed import ruled_out_timed

    try:
        fixture = in_era_of(fixture, target)
        setting = target_setting(fixture)
    except Stale as stale:
        return str(stale)
    if setting is None:
        return ruled_out_timed(fixture, target.table)
    return ruled_out(fixture, setting.case, target)


def in_era_of(fixture: Fixture, target: Target) -> Fixture:
    """The fixture in an era that the target speaks, where its run breaks the property there too; else as it is."""
    import attrs

    from latchcheck.counterexamples import Stale
    from latchcheck.counterexamples.replaying import reproduce

    if fixture.era is None or fixture.era in target.table.eras:
        return fixture
    # What a correct implementation answers was worked out for the other era, and is worked out again.
    # A cancel that is applied at once is how 2025-11-25 has it, without a choice.
    steps = tuple(attrs.evolve(step, args=_without_applied(step.args), guarded=None) for step in fixture.steps)
    for era in target.table.eras:
        told = attrs.evolve(fixture, era=era, steps=steps)
        try:
            reproduce(told, fixture_case(told))
        except Stale:
            continue
        return told
    return fixture


def _without_applied(args: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in args.items() if (name, value) != ("applied", True)}


def target_setting(fixture: Fixture) -> Setting | None:
    """The lifecycle under the fixture's policy and the guarded one; None for a run of the timed model. Raises Stale."""
    from latchcheck.counterexamples import Stale
    from latchcheck.counterexamples.targets.outcomes import Setting
    from latchcheck.model.policy import Policy
    from latchcheck.model.scope import Scope
    from latchcheck.model.spelling import SpellingError
    from latchcheck.properties.lifecycle.searches import build, known

    case = fixture_case(fixture)
    if fixture.config is not None:
        return None
    switches = {**fixture.policy, **({} if fixture.era is None else {"era": fixture.era})}
    scope, policy = (",".join(f"{name}={value}" for name, value in part.items()) for part in (fixture.scope, switches))
    try:
        size, rules = Scope.parse(scope or "tasks=1"), [known(fixture.property)]
        era = Policy.parse(f"era={fixture.era}") if fixture.era else Policy()
        broken, _ = build(size, Policy.parse(policy or "guarded"), rules)
        guarded, _ = build(_with_room(size, fixture), era, rules)
    except SpellingError as error:
        raise Stale(error.what) from None
    return Setting(case, broken, guarded)


def _with_room(size: Scope, fixture: Fixture) -> Scope:
    """The scope with a task more where calls are answered: a correct server may create one that the broken one did not.

    A scope that has as many tasks as any may have stays as it is.
    """
    import attrs

    from latchcheck.counterexamples.targets.outside import ADMISSIONS
    from latchcheck.model.scope import LARGEST

    answers = any(step.action in ADMISSIONS for step in fixture.steps)
    return attrs.evolve(size, tasks=size.tasks + 1) if answers and size.tasks < LARGEST else size


def target_rows() -> list[dict[str, Any]]:
    """Every target: its name, what it is, its table, and whether it is ready; None where an argument decides."""
    from latchcheck.counterexamples.targets import meaning, names, table_row, target

    rows = []
    for name in names():
        row: dict[str, Any] = {"name": name, "meaning": meaning(name), "ready": None, "missing": [], "table": None}
        if not name.endswith(":"):
            made = target(name)
            lacks = list(made.missing())
            row |= {"ready": not lacks, "missing": lacks, "table": table_row(made.table)}
        rows.append(row)
    return rows


def install_target(name: str) -> tuple[str, ...]:
    """Make the environment of a target; what was done, a line each. Raises UnknownTarget or TargetError."""
    from latchcheck.counterexamples.targets import TargetMissing

    made = open_target(name)
    install = getattr(made, "install", None)
    if install is not None:
        return tuple(install())
    if lacks := made.missing():
        raise TargetMissing("\n  ".join((f"{name} cannot be installed from here", *lacks)))
    return (f"{name}: ready; there is nothing to install for it",)


def check_target(name: str) -> tuple[list[str], Generator[dict[str, Any]]]:
    """The rules of the protocol, and whether a target keeps each: rows with outcome, rule and what was seen.

    Each rule is tried when its row is asked for. Raises UnknownTarget; whatever is started is stopped at the end.
    """
    from latchcheck.counterexamples.targets.conformance import each_checked, rules

    return rules(), _checked(open_target(name), each_checked)


def _checked(made: Target, tried: Callable[[Target], Iterator[dict[str, Any]]]) -> Generator[dict[str, Any]]:
    try:
        yield from tried(made)
    finally:
        getattr(made, "stop", lambda: None)()
