"""`latchcheck export`: the lifecycle model, or one of its runs, in the language of another tool."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from latchcheck.placing import put
from latchcheck.report.layout import printable

from . import wiring
from .errors import check_lifecycle
from .interrupting import interruptible
from .options import OneOf
from .output import Output, Unwritable, encoded, folder, target, write_whole

if TYPE_CHECKING:
    from latchcheck.kernel import Property, System, Trace

SCHEMA = "latchcheck/export/1"
FORMATS = ("tla", "itf", "smt2", "mermaid", "dot")
RUNS = ("itf", "mermaid")


@click.command(
    "export",
    short_help="Write the model or a run for TLC, SMT solvers, Mermaid, Graphviz.",
    epilog="In DIR, TLC runs as: java -cp tla2tools.jar tlc2.TLC Latchcheck; a named scope without --property has a "
    "directory below DIR for each property.",
)
@click.argument("language", type=OneOf(FORMATS), metavar="|".join(FORMATS))
@click.option(
    "--scope", metavar="SCOPE", default="ci", show_default=True, help="ci, deep, wide, or tasks=2,workers=2,..."
)
@click.option(
    "--policy", metavar="POLICY", default="guarded", show_default=True, help="guarded, or SWITCH=VALUE,SWITCH=VALUE."
)
@click.option(
    "--property", "only", metavar="ID", multiple=True, help="Only what this property needs; tla takes several."
)
@click.option("--fixture", metavar="FILE", help="The run of a saved counterexample (itf, mermaid).")
@click.option("-o", "--output", metavar="PATH", help="A directory for tla, else a file; stdout without.")
@click.option(
    "--format",
    "form",
    type=OneOf(["text", "json"]),
    default="text",
    show_default=True,
    help="The texts themselves, or an object with their names, and the texts unless they are written into PATH.",
)
@click.pass_context
def command(  # noqa: PLR0913 - one parameter an option
    context: click.Context,
    /,
    *,
    language: str,
    scope: str,
    policy: str,
    only: tuple[str, ...],
    fixture: str | None,
    output: str | None,
    form: str,
) -> None:
    """Write the lifecycle model in another language.

    tla holds the model with its properties, smt2 its transition relation and, of one property, its induction, dot its
    state graph.
    itf and mermaid hold one run: the shortest that breaks the property, or that of a saved counterexample.
    """
    if fixture is not None and language not in RUNS:
        raise click.UsageError(f"--fixture: {language} holds a model, no run; itf and mermaid hold runs")
    if language != "tla" and len(only) > 1:
        raise click.UsageError(f"--property: {language} is about one property")
    check_lifecycle(only)
    from latchcheck.kernel.exits import exit_code

    place = folder("-o", output) if language == "tla" else target(output, [fixture])
    texts: dict[str, str] = {}
    with interruptible(lambda: "nothing is written") as cut:
        if language == "tla":
            texts |= _modules(scope, policy, only, apart=place is not None)
        else:
            texts |= {"": _text(language, scope, policy, only, fixture)}
    if place is not None and not cut.short:
        _write_files(place, texts)
    code = exit_code(cut.verdicts)
    if form == "json":
        told = {} if cut.short else texts
        Output(None).write(json.dumps(_envelope(language, told, place, code), indent=2, ensure_ascii=False) + "\n")
    elif place is None:
        Output(None).write("\n".join(texts.values()))
    context.exit(code)


def _write_files(place: Path, texts: Mapping[str, str]) -> None:
    """Write each text into its file below the folder, all or none; one that has no name into the file that is meant.

    Raises Unwritable.
    """
    try:
        if "" in texts:
            write_whole(place, texts[""])
        else:
            put({place / name: encoded(text) for name, text in texts.items()})
    except OSError as error:
        raise Unwritable(f"{printable(str(place))}: {error.strerror}") from error


def _envelope(language: str, texts: Mapping[str, str], place: Path | None, code: int) -> dict[str, object]:
    """The names and the texts as plain data; where they are written into files, the paths of these instead."""
    files = [
        {
            "name": name or None,
            "path": None if place is None else str(place / name),
            "text": text if place is None else None,
        }
        for name, text in texts.items()
    ]
    return {"schema": SCHEMA, "language": language, "files": files, "exit": code}


def _modules(scope: str, policy: str, only: Sequence[str], *, apart: bool) -> dict[str, str]:
    """File name to text: the module of each search that `explore` makes, and its configuration.

    A named scope is searched property by property: then each has a directory of its own, if files may be `apart`.
    """
    from latchcheck.kernel import ModelError
    from latchcheck.report.interchange import to_tla

    plan = wiring.exploration_plan(scope, policy, only, symmetry=False)
    if plan.absent and only:
        absent = plan.absent[0]
        raise click.UsageError(f"nothing to tell {absent.id!r} by: {absent.reason}")
    if len(plan.searches) > 1 and not apart:
        raise click.UsageError(
            f"scope {scope} is searched property by property, and a module holds one system; name a --property, "
            "spell out a scope (--scope tasks=2,workers=2), or give -o DIR: each property gets a directory below it"
        )
    if not plan.searches:
        raise click.UsageError(f"scope {scope} has nothing to tell any property by")
    texts: dict[str, str] = {}
    for search in plan.searches:
        below = f"{search.properties[0].id}/" if len(plan.searches) > 1 else ""
        try:
            files = to_tla(search.system, search.properties, fair=search.fairness).files
        except ModelError as error:
            raise click.UsageError(str(error)) from error
        texts |= {f"{below}{name}": text for name, text in files.items()}
    return texts


def _text(language: str, scope: str, policy: str, only: Sequence[str], fixture: str | None) -> str:
    from latchcheck.kernel import ModelError
    from latchcheck.report import interchange
    from latchcheck.report.interchange.dot import graph

    if language in RUNS:
        system, trace, title = _run(scope, policy, only, fixture)
        if language == "itf":
            return interchange.to_itf(system, trace)
        if trace.steps and trace.steps[0].at_ms is not None:
            return interchange.to_mermaid(trace, title=title)
        words, receivers = wiring.lifecycle_telling(), wiring.lifecycle_receivers()
        return interchange.to_mermaid(trace, title=title, telling=words, receivers=receivers)
    system, asked = wiring.lifecycle_system(scope, policy, only)
    one = asked[0] if only else None
    try:
        return interchange.to_smt2(system, one) if language == "smt2" else interchange.to_dot(graph(system), one)
    except ModelError as error:
        raise click.UsageError(str(error)) from error


def _run(scope: str, policy: str, only: Sequence[str], fixture: str | None) -> tuple[System, Trace, str]:
    """The system, the run and what it shows."""
    if fixture is not None:
        loaded = wiring.load_fixture(fixture)
        replayed = wiring.replay_fixture(loaded)
        if replayed.trace is None:
            raise click.UsageError(f"--fixture {fixture}: stale: {replayed.reason}")
        return wiring.fixture_case(loaded).system, replayed.trace, loaded.id
    if not only:
        raise click.UsageError("name the --property that the run breaks, or a --fixture")
    system, (asked,) = wiring.lifecycle_system(scope, policy, only)
    trace = _broken(system, asked)
    if trace is None:
        raise click.UsageError(
            f"no run of scope {scope} and policy {policy} breaks {asked.id}, so there is none to write"
        )
    return system, trace, f"{asked.id}, {policy}"


def _broken(system: System, asked: Property) -> Trace | None:
    from latchcheck.engines.explicit import explore

    return explore(system, [asked]).counterexample
