"""Draw the pictures of the documentation from real runs: `python docs/images/make.py` writes the SVG files beside it.

A picture shows the run that `latchcheck verify` finds for an example, so that it cannot say what the tool does not.
"""

from collections.abc import Iterator
from pathlib import Path

import attrs

from latchcheck.kernel import Trace
from latchcheck.kernel.duration import readable
from latchcheck.model.config import Config
from latchcheck.model.reading import read
from latchcheck.properties.timing import verify

HERE = Path(__file__).parent
EXAMPLE = HERE.parent / "examples" / "paper-e4" / "ceiling-300s-window-120s.toml"
WIDTH, HEIGHT, LEFT, RIGHT = 960, 400, 132, 28
CLIENT_Y, SILENCE_Y, REAPER_Y, AXIS_Y = 100, 252, 318, 358
WINDOW_HEIGHT = 84
"""How high the orphan window stands above the foot of the silence lane."""
INK, MUTED, LINE = "#1f2933", "#616e7c", "#cbd2d9"
BLUE, AMBER, RED, PALE = "#1d5fa8", "#b7791f", "#b42318", "#f5e6c8"


@attrs.frozen
class Run:
    """What the picture needs of a run, in seconds."""

    contacts: tuple[float, ...]
    sweeps: tuple[float, ...]
    killed: float
    window: float
    next_poll: float

    @classmethod
    def of(cls, trace: Trace, config: Config) -> "Run":
        """Read contacts, the grid of sweeps and the harm from an executed run."""
        server = config.server
        assert isinstance(server.sweep_period_ms, int)
        assert server.orphan_window_ms is not None
        period = server.sweep_period_ms / 1000
        at = {number: float(step.at_ms or 0) / 1000 for number, step in enumerate(trace.steps)}
        contacts = [at[number] for number, step in enumerate(trace.steps) if step.action in ("create", "tasks/get")]
        phase = float(trace.steps[0].args["sweep_phase"]) / 1000
        killed = at[len(trace.steps) - 1]
        sweeps = [phase + number * period for number in range(int((killed - phase) / period + 0.5) + 1)]
        return cls(
            contacts=tuple(contacts),
            sweeps=tuple(sweeps),
            killed=killed,
            window=server.orphan_window_ms / 1000,
            next_poll=contacts[-1] + _nominal(trace),
        )


def _nominal(trace: Trace) -> float:
    """The nominal pause that is running when the run ends: the one that the last sent poll grew to."""
    grown = [step.changed["nominal"][1] for step in trace.steps if "nominal" in step.changed]
    return float(grown[-1]) / 1000


@attrs.frozen
class Canvas:
    """Places seconds on the page and writes SVG elements."""

    seconds: float

    def x(self, at: float) -> float:
        """The horizontal position of an instant."""
        return round(LEFT + at / self.seconds * (WIDTH - LEFT - RIGHT), 1)

    def line(self, start: tuple[float, float], end: tuple[float, float], colour: str, style: str = "") -> str:
        """A straight line; `style` adds attributes."""
        (x1, y1), (x2, y2) = start, end
        return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{colour}" {style}/>'

    def text(self, x: float, y: float, words: str, style: str = "") -> str:
        """A line of text that begins at `x`, unless `style` anchors it elsewhere."""
        return f'<text x="{x}" y="{y}" {style}>{words}</text>'


def orphaned(run: Run) -> str:
    """The swim lanes of a live task that is reclaimed: client, silence at the server, reaper."""
    canvas = Canvas(run.next_poll + 12)
    parts = [*_frame(canvas), *_client(canvas, run), *_silence(canvas, run), *_reaper(canvas, run)]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        f'role="img" font-family="Helvetica, Arial, sans-serif" font-size="13" fill="{INK}">'
    )
    title = "<title>A client backs off, the server sees silence, and a sweep cancels the live task</title>"
    ground = f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>'
    return "\n".join([head, title, ground, *parts, "</svg>", ""])


def _frame(canvas: Canvas) -> Iterator[str]:
    yield canvas.text(
        16, 28, "Both follow their own rules, and live work is cancelled", 'font-size="17" font-weight="600"'
    )
    detail = "client backs off up to 5 min, orphan window 2 min, a sweep every 30 s, one hour of work"
    yield canvas.text(16, 49, detail, f'fill="{MUTED}"')
    for y, name in ((CLIENT_Y, "client"), (SILENCE_Y, "silence"), (REAPER_Y, "reaper")):
        yield canvas.text(16, y - (30 if y == SILENCE_Y else -4), name, 'font-weight="600"')
    yield canvas.text(16, SILENCE_Y - 13, "as the server sees it", f'font-size="11" fill="{MUTED}"')
    for y in (CLIENT_Y, REAPER_Y):
        yield canvas.line((LEFT, y), (WIDTH - RIGHT, y), LINE)
    yield canvas.line((LEFT, AXIS_Y), (WIDTH - RIGHT, AXIS_Y), MUTED)
    for minute in range(int(canvas.seconds // 60) + 1):
        x = canvas.x(60 * minute)
        yield canvas.line((x, AXIS_Y), (x, AXIS_Y + 5), MUTED)
        yield canvas.text(x, AXIS_Y + 20, f"{minute} min", f'text-anchor="middle" fill="{MUTED}"')


def _client(canvas: Canvas, run: Run) -> Iterator[str]:
    for at in run.contacts:
        yield f'<circle cx="{canvas.x(at)}" cy="{CLIENT_Y}" r="4.5" fill="{BLUE}"/>'
    last, dashed = run.contacts[-1], 'stroke-width="2" stroke-dasharray="5 4"'
    yield canvas.line((canvas.x(last) + 6, CLIENT_Y), (canvas.x(run.next_poll) - 6, CLIENT_Y), BLUE, dashed)
    x = canvas.x(run.next_poll)
    yield f'<circle cx="{x}" cy="{CLIENT_Y}" r="4.5" fill="#ffffff" stroke="{BLUE}" stroke-width="2"/>'
    yield canvas.text(canvas.x(0), CLIENT_Y - 14, "polls, with longer and longer pauses", f'fill="{BLUE}"')
    yield canvas.text(x + 6, CLIENT_Y - 14, "its next poll is due by then", f'text-anchor="end" fill="{BLUE}"')


def _silence(canvas: Canvas, run: Run) -> Iterator[str]:
    """A saw tooth: the silence grows until the next contact, and the window is a line that it must not cross."""
    scale = WINDOW_HEIGHT / run.window
    yield canvas.line((LEFT, SILENCE_Y), (WIDTH - RIGHT, SILENCE_Y), LINE)
    for at in run.contacts:
        yield canvas.line((canvas.x(at), CLIENT_Y + 6), (canvas.x(at), SILENCE_Y), BLUE, 'opacity="0.3"')
    for start, end in zip(run.contacts, [*run.contacts[1:], run.killed], strict=True):
        height = round(SILENCE_Y - (end - start) * scale, 1)
        points = f"{canvas.x(start)},{SILENCE_Y} {canvas.x(end)},{height} {canvas.x(end)},{SILENCE_Y}"
        yield f'<polygon points="{points}" fill="{PALE}" stroke="{AMBER}" stroke-width="1.5"/>'
    top = SILENCE_Y - WINDOW_HEIGHT
    yield canvas.line((LEFT, top), (WIDTH - RIGHT, top), AMBER, 'stroke-width="2" stroke-dasharray="2 4"')
    words = f"orphan window, {readable(int(run.window * 1000))}"
    yield canvas.text(canvas.x(run.killed) + 12, top - 7, words, f'font-size="12" fill="{AMBER}"')


def _reaper(canvas: Canvas, run: Run) -> Iterator[str]:
    for at in run.sweeps:
        x = canvas.x(at)
        if at < run.killed - 1:
            yield canvas.line((x, REAPER_Y - 7), (x, REAPER_Y + 7), MUTED, 'stroke-width="2"')
    x = canvas.x(run.killed)
    yield canvas.line((x, CLIENT_Y + 4), (x, REAPER_Y + 10), RED, 'stroke-width="2"')
    yield f'<circle cx="{x}" cy="{REAPER_Y}" r="6" fill="{RED}"/>'
    yield canvas.text(x + 12, REAPER_Y - 8, f"{run.killed // 60:.0f} min {run.killed % 60:.0f} s", f'fill="{RED}"')
    yield canvas.text(x + 12, REAPER_Y + 18, "cancelled", f'fill="{RED}" font-weight="600"')
    yield canvas.text(canvas.x(run.sweeps[0]), REAPER_Y - 12, "sweeps: nothing to do", f'font-size="12" fill="{MUTED}"')


def pictures() -> dict[Path, str]:
    """Every picture by the file it belongs into."""
    config = read([str(EXAMPLE)])
    (verdict,) = verify(config, ["no-live-orphan"]).properties
    assert verdict.witness is not None
    return {HERE / "orphaned.svg": orphaned(Run.of(verdict.witness, config))}


if __name__ == "__main__":
    for file, picture in pictures().items():
        file.write_text(picture, encoding="utf-8")
