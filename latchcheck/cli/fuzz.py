"""`latchcheck fuzz`: random runs of the lifecycle or of a configuration, and the smallest that breaks a property."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from . import wiring
from .errors import check_lifecycle, check_timing, complain
from .options import TEXT_OR_JSON
from .output import Output
from .output import folder as folder_of
from .verify import Once

if TYPE_CHECKING:
    from latchcheck.engines.questions import Search
    from latchcheck.engines.stateful import Fuzzed
    from latchcheck.kernel.verdict import Verdict
    from latchcheck.report.samples import Row

    from .wiring.sampling import Asked, Hit, Tried

# The numbers of latchcheck.engines.stateful, which --help does not import; a test compares them.
RUNS_MAX, STEPS_MAX = 2000, 24
TARGET_RUNS_MAX = 400


@click.command(
    "fuzz",
    short_help="Sample runs of the lifecycle model or of a configuration.",
    epilog="Exit code: the first of 3, 1, 2, 5, 4 that applies: 3 a run breaks what verify proves, 1 violated, "
    "2 bad input or no Hypothesis, 5 vacuous, 4 nothing found, which proves nothing. A sample never ends in 0, unless "
    "nothing applies.",
)
@click.argument("file", required=False, metavar="[CONFIG.toml]")
@click.option("--client", metavar="PRESET", help="A configuration: a published client's defaults; once.", cls=Once)
@click.option("--server", metavar="PRESET", help="A configuration: a published server's defaults; once.", cls=Once)
@click.option("--set", "sets", metavar="KEY=VALUE", multiple=True, help="A configuration: set one key of it.")
@click.option("--scope", metavar="SCOPE", help="The lifecycle: ci (default), deep, wide, or tasks=2,workers=2,...")
@click.option("--policy", metavar="POLICY", help="The lifecycle: guarded (default), or SWITCH=VALUE,SWITCH=VALUE.")
@click.option("--property", "only", metavar="ID", multiple=True, help="Only this property; may be repeated.")
@click.option("--seed", metavar="N", type=int, default=0, show_default=True, help="The same seed draws the same runs.")
@click.option(
    "--max-runs",
    metavar="N",
    type=click.IntRange(min=1),
    help=f"Runs to draw in each search: {RUNS_MAX} without it, and {TARGET_RUNS_MAX} altogether on a target.",
)
@click.option(
    "--steps",
    metavar="N",
    type=click.IntRange(min=1),
    default=STEPS_MAX,
    show_default=True,
    help="Steps after which a run is over.",
)
@click.option("--target", metavar="NAME", help="Do the runs to a target and compare; `targets list` names them.")
@click.option("--fixtures", metavar="FOLDER", help="Try the saved runs below FOLDER first, not those of this project.")
@click.option("--no-fixtures", is_flag=True, help="Try no saved runs first.")
@click.option("-o", "--output", metavar="FOLDER", help="Save each run that is found as a fixture below FOLDER.")
@TEXT_OR_JSON
@click.pass_context
def command(  # noqa: PLR0913 - one parameter an option
    context: click.Context,
    /,
    *,
    file: str | None,
    client: str | None,
    server: str | None,
    sets: tuple[str, ...],
    scope: str | None,
    policy: str | None,
    only: tuple[str, ...],
    seed: int,
    max_runs: int | None,
    steps: int,
    target: str | None,
    fixtures: str | None,
    no_fixtures: bool,
    output: str | None,
    form: str,
) -> None:
    """Draw random runs, steered to where few have been, until one breaks a property.

    The runs are of the lifecycle model (--scope, --policy), or of a timeout configuration: a file, presets, or both.
    Saved counterexamples are tried first. A run that breaks a property is made as small as can be and executed again.
    That none was found proves nothing; `latchcheck explore` searches all, `latchcheck verify` proves.
    With --target the runs are done to an implementation, and each answer is compared with what the model allows.
    """
    configured = file is not None or client is not None or server is not None or bool(sets)
    if configured and (scope is not None or policy is not None):
        raise click.UsageError("--scope and --policy are about the lifecycle, a configuration is about time: give one")
    if fixtures is not None and no_fixtures:
        raise click.UsageError("--fixtures names what to try first, --no-fixtures says nothing is: give one")
    saved, folder = _existing("--fixtures", fixtures), folder_of("-o", output)
    if target is not None:
        if configured or only or fixtures is not None:
            raise click.UsageError("--target compares every answer: it takes no configuration, property or fixtures")
        from .lockstep import answer

        runs = TARGET_RUNS_MAX if max_runs is None else max_runs
        context.exit(answer(target, scope, policy, seed=seed, runs_max=runs, steps_max=steps, form=form, folder=folder))
    if configured:
        asked = _configuration(file, client, server, sets, only)
    else:
        check_lifecycle(only, other="latchcheck fuzz CONFIG.toml")
        asked = wiring.ask_lifecycle(scope or "ci", policy or "guarded", only)
    run = _Run(asked, Output(None), form, seed, max_runs or RUNS_MAX, steps)
    context.exit(run.go(None if no_fixtures else saved, folder, first=not no_fixtures))


class _Run:
    """One run of the verb."""

    def __init__(self, asked: Asked, out: Output, form: str, seed: int, runs_max: int, steps_max: int) -> None:
        self._asked, self._out, self._text = asked, out, form == "text"
        self._seed, self._runs_max, self._steps_max = seed, runs_max, steps_max
        self._tried: list[Tried] = []
        self._done: list[tuple[Search, Fuzzed]] = []
        self._interrupted = False

    def go(self, saved: Path | None, folder: Path | None, *, first: bool) -> int:
        """Try what is saved, draw, tell, save; the exit code."""
        from latchcheck.engines.stateful import NeedsHypothesis
        from latchcheck.kernel.exits import Exit, exit_code

        try:
            if first:
                self._first(saved)
            self._draw()
        except NeedsHypothesis as missing:
            complain(str(missing))
            return Exit.USAGE
        except KeyboardInterrupt:
            self._interrupted = True
        hits = self._hits()
        paths, unsaved = self._save(list(hits.values()), folder)
        rows = self._rows(hits, paths)
        if self._interrupted:
            complain("interrupted: what is told was found until then")
        absent: list[Verdict] = [one.verdict for one in self._asked.plan.absent]
        cut: list[Verdict] = ["inconclusive"] if self._interrupted else []
        disagree = any(row.disagrees for row in rows.values())
        drawn = map(_verdict, rows.values())
        code = exit_code([*drawn, *absent, *cut], internal_error=disagree, usage_error=unsaved)
        self._tell(rows, paths, code)
        return code

    def _first(self, saved: Path | None) -> None:
        self._tried = wiring.try_saved(self._asked, saved)
        hits = [one for one in self._tried if one.hit is not None]
        if self._text and self._tried:
            lines = [f"{len(self._tried)} saved counterexamples tried first: {len(hits)} break something here"]
            for name, hit in self._known().items():
                lines.append(f"  {name}: {hit.fixture} breaks it, in {len(hit.trace)} steps")
            self._write(lines)

    def _known(self) -> dict[str, Hit]:
        """For each property the shortest run that a saved counterexample gave."""
        found: dict[str, Hit] = {}
        for one in self._tried:
            if one.hit is not None and (
                one.property not in found or len(one.hit.trace) < len(found[one.property].trace)
            ):
                found[one.property] = one.hit
        return found

    def _draw(self) -> None:
        known = list(self._known())
        for search, found in wiring.draw(
            self._asked, known, seed=self._seed, runs_max=self._runs_max, steps_max=self._steps_max
        ):
            self._done.append((search, found))
            self._interrupted = self._interrupted or found.interrupted

    def _hits(self) -> dict[str, Hit]:
        hits = self._known()
        for search, found in self._done:
            if found.counterexample is not None and found.violated is not None:
                hits[found.violated] = wiring.hit_of(search, found)
        return hits

    def _save(self, hits: Sequence[Hit], folder: Path | None) -> tuple[dict[str, Path], bool]:
        """The file of each run that is saved, and whether one could not be."""
        if folder is None:
            return {}, False
        try:
            paths, lost = wiring.save_hits(self._asked, hits, self._seed, folder)
        except OSError as error:
            complain(f"-o {folder}: nothing is saved: {error.strerror or error}")
            return {}, True
        for one in lost:
            complain(f"-o {folder}: not saved: {one}")
        return paths, bool(lost)

    def _rows(self, hits: dict[str, Hit], paths: dict[str, Path]) -> dict[str, Row]:
        from latchcheck.report.samples import Found, Row

        rows: dict[str, Row] = {}
        for search in self._asked.plan.searches:
            for asked in search.properties:
                tried = tuple(found for made, found in self._done if made is search and asked.id in found.reached)
                hit = hits.get(asked.id)
                drawn = next((one for one in tried if one.violated == asked.id), None)
                found = None
                if hit is not None:
                    found = Found(hit.clause, hit.trace, drawn, hit.fixture, paths.get(asked.id))
                rows[asked.id] = Row(asked, tried, found, self._asked.verified.get(asked.id))
        return rows

    def _tell(self, rows: dict[str, Row], paths: dict[str, Path], code: int) -> None:
        from latchcheck.report import samples

        absent = {one.id: one for one in self._asked.plan.absent}
        if self._text:
            lines: list[str] = []
            for name in self._asked.plan.order:
                lines += (
                    samples.told(rows[name], self._steps_max, wiring.lifecycle_telling())
                    if name in rows
                    else samples.told_absent(absent[name])
                )
            lines += samples.summary([found for _, found in self._done], self._seed)
            self._write(lines)
            return
        answers = [
            samples.data(rows[name], self._steps_max) if name in rows else samples.absent(absent[name])
            for name in self._asked.plan.order
        ]
        whole = samples.envelope(
            source=self._asked.plan.source,
            seed=self._seed,
            runs_max=self._runs_max,
            steps_max=self._steps_max,
            interrupted=self._interrupted,
            tried=[_tried(one) for one in self._tried],
            searches=[samples.search_data(search, found) for search, found in self._done],
            properties=answers,
            saved=[str(path) for path in paths.values()],
            exit=code,
        )
        self._out.write(json.dumps(whole, indent=2, ensure_ascii=False) + "\n")

    def _write(self, lines: Sequence[str]) -> None:
        self._out.write(self._out.fitted("\n".join(lines) + "\n"))


def _verdict(row: Row) -> Verdict:
    """Violated, or inconclusive whatever was drawn."""
    return "inconclusive" if row.found is None else "violated"


def _tried(one: Tried) -> dict[str, Any]:
    return {
        "file": one.file,
        "fixture": one.fixture,
        "property": one.property,
        "breaks": one.hit is not None,
        "reason": one.reason,
    }


def _configuration(
    file: str | None, client: str | None, server: str | None, sets: tuple[str, ...], only: Sequence[str]
) -> Asked:
    check_timing(only, other="latchcheck fuzz")
    config = wiring.read_config(file, client=client, server=server, task=None, sets=sets)
    parts = [file, client and f"client {client}", server and f"server {server}", *sets]
    return wiring.ask_timed(config, ", ".join(part for part in parts if part), only)


def _existing(option: str, name: str | None) -> Path | None:
    if name is None:
        return None
    if not Path(name).is_dir():
        raise click.UsageError(f"{option} {name}: there is no such directory")
    return Path(name)
