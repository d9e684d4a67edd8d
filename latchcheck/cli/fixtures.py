"""`latchcheck fixtures`: the saved counterexamples, listed, checked, made smaller, made anew."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from operator import itemgetter
from pathlib import Path

import click

from . import wiring
from .errors import check_lifecycle, check_timing, complain, no_such
from .interrupting import interruptible
from .options import TEXT_OR_JSON
from .output import Output, folder
from .replay import SCHEMA, Replayed, row, told
from .replaying import replayed

LIST_SCHEMA = "latchcheck/fixtures/1"
COPIES_SCHEMA = "latchcheck/copies/1"
GENERATED_SCHEMA = "latchcheck/generated/1"
MINIMISED_SCHEMA = "latchcheck/minimised/1"
FILES = click.argument("files", nargs=-1, metavar="[FIXTURE]...")


@click.group("fixtures", short_help="List, copy, check, minimise and generate saved counterexamples.")
def command() -> None:
    """Work on saved counterexamples: those of this project, or the files that are named."""


@command.command("list")
@TEXT_OR_JSON
def list_(form: str) -> None:
    """List the saved counterexamples of this project."""
    rows = [
        {
            "id": one.id,
            "property": one.property,
            "era": one.era,
            "policy": dict(one.policy),
            "steps": len(one.steps),
            "shortest": one.minimal.shortest,
            "clause": one.violates.clause,
            "found_by": one.found_by.engine,
            "file": str(path),
        }
        for path, one in wiring.saved_fixtures()
    ]
    out = Output(None)
    if form == "json":
        _write_json(out, {"schema": LIST_SCHEMA, "fixtures": rows, "exit": 0})
        return
    from latchcheck.report.layout import hung

    # An id is long, and stands whole in a line of its own so that it can be copied.
    lines = [line for one in rows for line in (str(one["id"]), f"    {_steps(one['steps'])}: {one['clause']}")]
    out.write("".join(f"{line}\n" for line in hung(lines, out.width)))


def _steps(count: object) -> str:
    return f"{count} step" if count == 1 else f"{count} steps"


@command.command("copy", epilog="Exit code: 0 done, 2 it cannot be done, and nothing is, 5 the selection is empty.")
@click.argument("folder_name", metavar="DIR")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--property", "properties", metavar="ID", multiple=True, help="Those of this property; may be repeated.")
@click.option("--target", metavar="NAME", help="Those only that its table does not rule out.")
@click.option("--force", is_flag=True, help="Write over files that are there and not the same.")
@TEXT_OR_JSON
@click.pass_context
def copy(
    context: click.Context,
    /,
    *,
    folder_name: str,
    ids: tuple[str, ...],
    properties: tuple[str, ...],
    target: str | None,
    force: bool,
    form: str,
) -> None:
    """Copy the saved counterexamples of this project below DIR: all, or those that are named; whole or not at all.

    In a folder called `counterexamples` they are tests of its repository by the pytest plugin.
    """
    from latchcheck.kernel.exits import Exit

    known = {one.property for _, one in wiring.saved_fixtures()}
    for name in properties:
        if name not in known:
            if name in (*wiring.lifecycle_ids(), *wiring.property_ids()):
                raise click.UsageError(f"--property {name}: no counterexample of it is saved")
            raise no_such("--property", "property", name, sorted(known), "latchcheck list properties")
    where = folder("DIR", folder_name)
    assert where is not None
    try:
        paths, count = wiring.copied_fixtures(where, ids, properties, target, force=force)
    except wiring.Exists as error:
        raise click.UsageError(str(error)) from None
    code = Exit.FINE if count else Exit.VACUOUS
    out = Output(None)
    if form == "json":
        whole = {"schema": COPIES_SCHEMA, "selected": count, "written": [str(path) for path in paths], "exit": code}
        _write_json(out, whole)
    else:
        out.write("".join(f"{path}\n" for path in paths))
        same = f", {count - len(paths)} were there already" if len(paths) < count else ""
        out.write(f"{len(paths)} counterexamples written{same}.\n" if count else "nothing is selected\n")
    context.exit(code)


@command.command("check", epilog="Exit code: 0 all reproduce, 2 one cannot be read, 5 one is stale, 4 interrupted.")
@FILES
@TEXT_OR_JSON
@click.pass_context
def check(context: click.Context, /, *, files: tuple[str, ...], form: str) -> None:
    """Replay each counterexample on the model and say which are stale."""
    from latchcheck.kernel.exits import exit_code

    found, faults = replayed(_files(files))
    stale = [one for _, one in found if one.stale]
    code = exit_code(faults.cut_short, usage_error=faults.unreadable, stale=bool(stale))
    out = Output(None)
    if form == "json":
        rows = [row(file, one, steps=False) for file, one in found]
        _write_json(out, {"schema": SCHEMA, "fixtures": rows, "exit": code})
    else:
        out.write("".join(told(one, out.width, steps=False) for one in stale))
        out.write(f"{len(found)} fixtures: {len(found) - len(stale)} reproduce, {len(stale)} stale.\n")
    context.exit(code)


@command.command("minimise", epilog="Exit code: 0 done, 2 one cannot be read, 5 one is stale, 4 interrupted.")
@click.argument("files", nargs=-1, required=True, metavar="FIXTURE...")
@TEXT_OR_JSON
@click.pass_context
def minimise(context: click.Context, /, *, files: tuple[str, ...], form: str) -> None:
    """Make each run smaller while it breaks the same clause, and write it back into its file."""
    from latchcheck.kernel.doing import each
    from latchcheck.kernel.exits import exit_code

    found, faults = replayed(files)
    out, rows = Output(None), list[dict[str, object]]()
    with interruptible(lambda: f"{len(rows)} of {len(found)} are dealt with, the others are as they were") as cut:
        for file, one in each("minimising", () if faults.interrupted else found, named=itemgetter(0)):
            rows.append(_minimised(file, one))
            if form == "text":
                out.write(_told_minimised(rows[-1], one, out.width))
    stale = any(one.stale for _, one in found)
    code = exit_code([*faults.cut_short, *cut.verdicts], usage_error=faults.unreadable, stale=stale)
    if form == "json":
        _write_json(out, {"schema": MINIMISED_SCHEMA, "fixtures": rows, "exit": code})
    context.exit(code)


def _minimised(file: str, one: Replayed) -> dict[str, object]:
    """Make one smaller, unless it is stale; what became of it."""
    before = after = len(one.fixture.steps)
    changed = False
    if not one.stale:
        smaller, changed = wiring.minimise_fixture(file)
        after = len(smaller.steps)
    return {
        "file": file,
        "id": one.fixture.id,
        "outcome": "stale" if one.stale else "smaller" if changed else "as-before",
        "reason": one.reason,
        "steps_before": before,
        "steps": after,
    }


def _told_minimised(row: Mapping[str, object], one: Replayed, width: int) -> str:
    if one.stale:
        return told(one, width, steps=False)
    now = f"now {row['steps']}" if row["outcome"] == "smaller" else "as before"
    return f"{one.fixture.id}: {row['steps_before']} steps, {now}\n"


@command.command("generate", epilog="Exit code: 0 done, 2 bad input, 4 interrupted.")
@click.option("--property", "only", metavar="ID", multiple=True, help="Make those of this property only.")
@click.option("--config", metavar="FILE", help="Make those of a configuration: what `verify` shows violated; needs -o.")
@click.option("-o", "--output", metavar="DIR", help="Write here instead of where the saved ones of this project are.")
@TEXT_OR_JSON
@click.pass_context
def generate(
    context: click.Context, /, *, only: tuple[str, ...], config: str | None, output: str | None, form: str
) -> None:
    """Make the shortest counterexample of every property under every mutant that breaks it.

    Files that mean the same already stay as they are; fixtures that no longer exist are taken away.
    With --config one fixture is made for each timing property that the configuration violates, and none is taken away.
    """
    from latchcheck.kernel.exits import exit_code

    if config is not None:
        paths, interrupted = _of_config(config, only, output)
    else:
        check_lifecycle(only, other="latchcheck fixtures generate --config CONFIG.toml -o DIR", forms=False)
        paths, interrupted = _of_mutants(only, folder("-o", output))
    code, out = exit_code(["inconclusive"] if interrupted else []), Output(None)
    if form == "json":
        _write_json(out, {"schema": GENERATED_SCHEMA, "files": [str(path) for path in paths], "exit": code})
    elif paths or not interrupted:
        nothing = "nothing has changed\n" if config is None else "nothing is violated\n"
        out.write("".join(f"{path}\n" for path in paths) or nothing)
    context.exit(code)


def _of_mutants(only: Sequence[str], where: Path | None) -> tuple[list[Path], bool]:
    """The files that changed, and whether the user ended it: then none has."""
    try:
        return wiring.generate_fixtures(only, folder=where), False
    except wiring.CutShort as cut:
        complain(f"interrupted: {cut}")
        return [], True


def _of_config(config: str, only: Sequence[str], output: str | None) -> tuple[list[Path], bool]:
    """The files in which the violations of a configuration are saved, and whether the user ended it."""
    if output is None:
        raise click.UsageError("--config: those of a configuration are written with -o DIR, not among this project's")
    check_timing(only, other="latchcheck fixtures generate")
    where = folder("-o", output)
    assert where is not None
    read = wiring.read_config(config, client=None, server=None, task=None, sets=())
    report = wiring.verify(read, only or None)
    paths, lost = wiring.save_witnesses(report, where)
    if lost:
        # A run that was executed and does not replay: nobody else's fault.
        raise AssertionError(f"not saved: {'; '.join(lost)}")
    if report.interrupted:
        complain("interrupted: what is written was found until then")
    return list(paths.values()), report.interrupted


def _write_json(out: Output, whole: Mapping[str, object]) -> None:
    out.write(json.dumps(whole, indent=2, ensure_ascii=False) + "\n")


def _files(files: Sequence[str]) -> list[str]:
    """The files that are named, or those of this project."""
    return list(files) or [str(path) for path, _ in wiring.saved_fixtures()]
