"""The command `latchcheck`: finds the verb, runs it, and turns whatever happens into an exit code.

A verb is one file of this package that defines `command`, and one line of `VERBS`.
It is imported when it is run, so that no verb pays for the start of another.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from io import StringIO, TextIOWrapper
from typing import NoReturn

import click

from latchcheck.gathering import every

from .errors import BUG, NoSuchName, complain, complain_of
from .options import OneOf
from .output import Unwritable
from .progress import shown

VERBS: Mapping[str, str] = {
    "verify": "latchcheck.cli.verify",
    "matrix": "latchcheck.cli.matrix",
    "sweep": "latchcheck.cli.sweep",
    "explore": "latchcheck.cli.explore",
    "fuzz": "latchcheck.cli.fuzz",
    "repair": "latchcheck.cli.repair",
    "region": "latchcheck.cli.region",
    "admission": "latchcheck.cli.admission",
    "replay": "latchcheck.cli.replay",
    "show": "latchcheck.cli.show",
    "audit": "latchcheck.cli.audit",
    "fixtures": "latchcheck.cli.fixtures",
    "targets": "latchcheck.cli.targets",
    "race": "latchcheck.cli.race",
    "kill": "latchcheck.cli.kill",
    "probe": "latchcheck.cli.probe",
    "study": "latchcheck.cli.study",
    "wording": "latchcheck.cli.wording",
    "export": "latchcheck.cli.export",
    "recheck": "latchcheck.cli.recheck",
    "explain": "latchcheck.cli.explain",
    "list": "latchcheck.cli.list_",
}

# The numbers of latchcheck.kernel.exits, which is not imported here: with it comes the solver,
# and `latchcheck --help` needs none. tests/cli compares them.
USAGE, INTERNAL, INCONCLUSIVE = 2, 3, 4

GARBAGE_THRESHOLD = 50_000
AGAIN_SECONDS = 0.01


class Closed(StringIO):
    """Stands for an output that the shell which started us closed: to write there is an error like a full disk."""

    def write(self, text: str, /) -> int:  # noqa: ARG002 - the signature of a stream
        """Refuse the text with an OSError."""
        raise OSError(errno.EBADF, "it is closed")


class Verbs(click.Group):
    """A group whose commands are imported on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The verbs, in the order in which a new user meets them."""
        return list(VERBS)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The verb that is named, with the defaults that the project gives it, but for help, which is about the verb.

        A UsageError names the verb that is meant.
        """
        name = args[0]
        if name not in VERBS and not name.startswith("-"):
            raise _no_such_verb(name, ctx)
        found = super().resolve_command(ctx, args)
        asks_help = set(ctx.help_option_names) & set(args)
        if found[1] is not None and not (ctx.params.get("isolated") or ctx.resilient_parsing or asks_help):
            _take_defaults(ctx, name, found[1])
        return found

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """The verb of that name, or None."""
        return import_module(VERBS[cmd_name]).command if cmd_name in VERBS else None


def _no_such_verb(name: str, ctx: click.Context) -> click.UsageError:
    from pathlib import Path

    from latchcheck.naming import instead  # only when there is something to mend

    hint = instead(name, VERBS)
    with suppress(OSError, ValueError):
        if Path(name).is_file():
            hint = f"to verify a configuration, write latchcheck verify {name}"
    return NoSuchName(f"{name}: there is no such command\n  {hint}", ctx)


def _take_defaults(ctx: click.Context, verb: str, command: click.Command) -> None:
    from .project import defaults, find

    project = find()
    given = None if project is None else defaults(project, VERBS, verb, command)
    if given:
        ctx.default_map = {verb: given}


def _show_version(ctx: click.Context, _option: click.Parameter, wanted: bool) -> None:  # noqa: FBT001 - click's signature
    if not wanted or ctx.resilient_parsing:
        return
    from latchcheck.report.envelope import versions

    found = versions()
    others = ", ".join(f"{name} {found[name] or 'not installed'}" for name in ("z3", "hypothesis", "python"))
    click.echo(f"latchcheck {found['latchcheck']} ({others})")
    ctx.exit()


@click.command(
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 fine, 1 violated, 2 usage, 3 internal error, 4 inconclusive, 5 vacuous.",
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_show_version, help="Show versions and exit."
)
@click.option("--isolated", is_flag=True, help="Take no defaults from [tool.latchcheck] of a pyproject.toml.")
def group(*, isolated: bool) -> None:
    """Prove or refute a timeout configuration of MCP Tasks clients and servers."""


def run() -> NoReturn:
    """The process `latchcheck`: runs the command line and ends at once.

    The solver's terms are freed one by one when an interpreter shuts down in order, which takes as long as all the
    answers of a plain `verify`; the system takes the memory back anyway. Everything is written by then.
    """
    import gc
    import signal

    # Whoever is told to end ends in order: what it has started is stopped, what was found is told.
    for one in (signal.SIGTERM, signal.SIGHUP) if os.name == "posix" else (signal.SIGTERM,):
        if signal.getsignal(one) is signal.SIG_DFL:  # nohup ignores SIGHUP, and is to be obeyed
            signal.signal(one, signal.default_int_handler)

    # What a start makes stays; looking through it again and again for rubbish only takes time.
    gc.set_threshold(GARBAGE_THRESHOLD)
    code = main()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # closed at the other end, or by the shell that started us
            stream.flush()
    os._exit(code)


@contextmanager
def _no_interrupt_lost() -> Iterator[None]:
    """An interrupt that comes while the solver's terms are freed is lost to Python: let it come again in a moment."""
    before = sys.unraisablehook

    def told(lost: sys.UnraisableHookArgs) -> None:
        if not issubclass(lost.exc_type, KeyboardInterrupt):
            before(lost)
            return
        import signal
        import threading

        # A shell that starts us in the background has SIGINT ignored: then it was another signal, and comes as that.
        names = ("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM")
        heard = [one for name in names if callable(signal.getsignal(one := getattr(signal, name, signal.SIGINT)))]
        again = threading.Timer(AGAIN_SECONDS, signal.raise_signal, (heard[0] if heard else signal.SIGINT,))
        again.daemon = True
        again.start()

    sys.unraisablehook = told
    try:
        yield
    finally:
        sys.unraisablehook = before


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; nothing that a user can do ends in a traceback."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Closed())
        elif isinstance(stream, TextIOWrapper):
            # A file name may hold what the terminal cannot show.
            stream.reconfigure(errors="backslashreplace")
    try:
        with _no_interrupt_lost():
            return _run(list(sys.argv[1:] if arguments is None else arguments))
    except click.ClickException as error:
        return _usage_error(error)
    except (click.Abort, KeyboardInterrupt):
        complain("interrupted")
        return INCONCLUSIVE
    except BrokenPipeError:
        return INCONCLUSIVE
    except (Unwritable, OSError) as error:  # a full disk, a closed output: the world's fault, not ours
        return _world_error(error)
    except Exception as error:  # noqa: BLE001 - the last resort: whatever else happens is a bug, and is told as one
        return _unexpected(error)


def _run(arguments: list[str]) -> int:
    completion = os.environ.get("_LATCHCHECK_COMPLETE")
    if completion:
        from click.shell_completion import shell_complete

        return shell_complete(group, {}, "latchcheck", "_LATCHCHECK_COMPLETE", completion)
    try:
        with group.make_context("latchcheck", arguments) as context, shown():
            group.invoke(context)
    except click.exceptions.Exit as done:
        return done.exit_code
    return 0


def _usage_error(error: click.ClickException) -> int:
    context = getattr(error, "ctx", None)
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.format_message(), err=True)
        return USAGE
    hint = f"\n  {context.command_path} -h tells how it is used" if context is not None else ""
    if isinstance(error, click.NoSuchOption | click.exceptions.NoSuchCommand):
        complain(_no_such(error))
    elif isinstance(error, NoSuchName) or _is_choice(error):
        complain(error.format_message())  # it says already what to write instead
    else:
        for one in every(error):
            told = one.format_message() if isinstance(one, click.ClickException) else str(one)
            complain(told.replace("\n\t", "\n  ") + hint)  # click sets lists of choices with tabs
    return USAGE


def _is_choice(error: click.ClickException) -> bool:
    """Whether a word was none of those that an option takes."""
    if not isinstance(error, click.BadParameter) or isinstance(error, click.MissingParameter):
        return False
    return error.param is not None and isinstance(error.param.type, OneOf)


def _no_such(error: click.NoSuchOption | click.exceptions.NoSuchCommand) -> str:
    """What is said of an option or of a verb below another that there is none of, in the words for every name."""
    from latchcheck.naming import instead

    context = error.ctx
    assert context is not None
    if isinstance(error, click.NoSuchOption):
        name, kind = error.option_name, "option"
        known = [one for param in context.command.get_params(context) for one in (*param.opts, *param.secondary_opts)]
    else:
        assert isinstance(context.command, click.Group)
        name, kind = error.command_name, "command"
        known = context.command.list_commands(context)
    return f"{name}: there is no such {kind}\n  {instead(name, known, f'{context.command_path} -h')}"


def _world_error(error: Unwritable | OSError) -> int:
    if isinstance(error, Unwritable):
        complain(f"cannot write to {error}")
    else:
        complain(": ".join(str(part) for part in (error.filename, error.strerror or error) if part))
    return USAGE


def _unexpected(error: Exception) -> int:
    from latchcheck.kernel.interrupts import is_interrupt
    from latchcheck.needs import Needs

    if is_interrupt(error):
        complain("interrupted")
        return INCONCLUSIVE

    if isinstance(error, Needs):
        complain(str(error))
        return USAGE
    if not isinstance(error, ImportError):  # where something is not installed, asking the model fails as well
        from .wiring import is_bad_input

        if is_bad_input(error):
            complain_of(error)
            return USAGE
    if os.environ.get("LATCHCHECK_DEBUG"):
        import traceback

        traceback.print_exception(error)
    complain(f"internal error: {type(error).__name__}: {error}\n  {BUG}")
    return INTERNAL
