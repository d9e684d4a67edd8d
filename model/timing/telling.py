"""The runs of the timing systems in words, for those who read them.

All names of variables and actions that a reader meets are in the tables below; the systems themselves know nothing
of it. What is quiet is still in the run: only the text form leaves it out.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction

from latchcheck.kernel.duration import readable
from latchcheck.kernel.telling import Moment, Round, Telling

from ..config import Config
from .spans import spans

QUIET = frozenset(
    {
        # client
        *("client", "since", "nominal", "error_nominal", "failures", "poll_fate", "seen", "give_up_at", "cycle_until"),
        *("away", "away_now", "away_used", "left_at", "gave_up", "gave_up_at", "waiter", "created", "called_at"),
        # server
        *(
            "cause",
            "ended_at",
            "last_contact",
            "phase",
            "next_sweep",
            "acknowledged_at",
            "cancel_sent",
            "told",
            "told_at",
        ),
        # leases and attempts
        *("renewed", "renewals", "expired_at", "second", "second_from", "worker", "lease"),
        *("work", "attempt", "delay", "told_as_one"),
        # questions to a human
        *("stage", "asked_at"),
        # these end what the row already says
        *("terminal", "ttl_ended", "running", "acknowledged"),
    }
)
"""Variables whose changes are bookkeeping, or said by the words of the event."""

NAMELESS = frozenset({"status"})
"""Variables whose values speak for themselves: "working -> cancelled"."""

HARMS = {
    "orphaned_live": "the server reclaims a task whose client still follows its polling schedule.",
    "orphaned_away": "the server reclaims the task of a client that is away for its restart gap and comes back.",
    "expired_live": "the ttl ends a task whose work is still running inside its declared time.",
    "outcome_lost": "the poll that should have read the outcome finds nothing: the record is gone.",
    "timeout_lost": "the task was failed by its deadline, and the record is gone before the client reads so.",
    "gave_up_early": "the client stops waiting before it has seen the end of work that keeps its declared time.",
    "polled_too_soon": "the client polls sooner than the server's hint asks for.",
    "hint_too_late": "the first poll of a client that obeys the hint comes after the ttl has ended.",
    "gave_up_on_live": "who believes the advertised ttl has given up on a task that lives on.",
    "read_gone": "who believes the advertised ttl reads a task that is already gone.",
    "found_late": "the abandoned task is still working when the stated bound has passed.",
    "works_on": "the work of a client that left for good still runs when the stated bound has passed.",
    "read_uncancelled": "a task whose cancel was acknowledged is read, and does not read cancelled.",
    "overlap": "two workers run the same task at once: the first is alive, and has lost its lease.",
    "recovery_missed": "the client gives up before the redelivered work has ended.",
    "cut_short": "the deadline fails the task while attempts, or the delays between them, are still to come.",
    "unheard": "the human answers inside the declared time, and a limit has closed before the answer counts.",
    "second_task": "the reissued call finds its key forgotten, and a second task is created.",
}
"""The flags of the systems that record a harm, each with the sentence that says what happened."""

UNSTATED = {
    "found_late": ("orphan_bound_ms", "nobody ever looks at the abandoned task: it is still working."),
    "works_on": (
        "abandoned_work_bound_ms",
        "the work of a client that left for good still runs when every limit has passed, and nothing will stop it.",
    ),
}
"""For a harm that a bound measures: the server's key that states it, and what happened where nobody stated one."""


def telling(config: Config) -> Telling:
    """The words for the runs of every timing system of a configuration."""
    window = config.server.orphan_window_ms

    def meanwhile(before: Moment, after: Moment) -> str | None:
        if window is None or not after.becomes("cause", "orphans"):
            return None
        silence = after.at_ms - after.old("last_contact", 0)
        return f"silent for {_beyond(silence, window)}" if before.at_ms != after.at_ms else None

    return Telling(
        phrases=PHRASES,
        quiet=QUIET,
        nameless=NAMELESS,
        rounds=ROUNDS,
        harms=_harms(config),
        meanwhile=meanwhile,
        spans=lambda moments: spans(config, moments),
    )


def _harms(config: Config) -> dict[str, str]:
    """The harms in words that speak of a stated bound only where one is stated."""
    unstated = {name: words for name, (key, words) in UNSTATED.items() if getattr(config.server, key) is None}
    return HARMS | unstated


def _beyond(length: Fraction, limit: int) -> str:
    """A length against the limit that it exceeds, also where both read alike."""
    text, other = readable(length), readable(limit)
    if length == limit:
        return f"{text}, all of the orphan window"
    return f"just over the orphan window of {other}" if text == f"~{other}" else f"{text}, the orphan window is {other}"


# -- the client ---------------------------------------------------------------------------------------------------


def _create(moment: Moment) -> str:
    travelled = moment.args.get("call_latency") or moment.args.get("latency")
    return "the task is created" + (f" ({readable(travelled)} on the way)" if travelled else "")


def _pause(moment: Moment) -> str:
    return f"after a pause of {readable(moment.at_ms - moment.old('since', 0))}"


def _poll(moment: Moment) -> str:
    fate = moment.args.get("fate") or moment.args.get("becomes") or "answered"
    lost = {"answered": "", "request_lost": ", and is lost", "reply_lost": ", its reply will be lost"}[str(fate)]
    return f"tasks/get sent {_pause(moment)}{lost}"


def _get(moment: Moment) -> str:
    answer = _answer(moment)
    if moment.step.party == "client":
        return f"polls: {answer}"
    judged = _judged(moment)
    if judged:
        return f"tasks/get {judged}: {answer}" if answer == "unknown id" else f"tasks/get {judged}"
    return f"tasks/get arrives: {answer}"


def _answer(moment: Moment) -> str:
    seen = moment.args.get("seen_status") or moment.new("seen")
    if seen == "gone" or moment.new("gone", default=False):
        return "unknown id"
    status = moment.new("status", "working")
    return "a terminal status" if seen == "terminal" and status == "working" else str(status)


def _reply(moment: Moment) -> str:
    answer = "a question for the human" if moment.becomes("stage", "told") else _answer(moment)
    return f"the reply arrives: {answer}"


def _leave(moment: Moment) -> str:
    return "leaves for good" if moment.becomes("left_at") or moment.becomes("client", "stopped") else "goes away"


def _give_up(moment: Moment) -> str:
    return "gives up: the advertised ttl has ended" if moment.step.party == "believer" else "gives up, at its limit"


def _polls(moment: Moment) -> str:
    count, until = moment.args.get("count"), moment.args["until"]
    if count is None:
        return f"polls in quick succession until {readable(until)}, all answered working"
    if count == 1:
        return f"one poll until {readable(until)}, answered working"
    return f"{count} polls, one every {readable((until - moment.at_ms) / count)}, all answered working"


def _polls_end(moment: Moment) -> str:
    return f"the last of them is answered at {readable(moment.at_ms)}"


# -- the server ---------------------------------------------------------------------------------------------------


def _judged(moment: Moment) -> str:
    """What a judgement of the record found, whoever asked for it; empty where it found nothing to do."""
    if moment.becomes("cause", "orphans"):
        return "finds an orphan"
    if moment.becomes("cause", "timeouts"):
        return "finds the deadline passed"
    return "finds the ttl over" if moment.becomes("gone") or "status" in moment.step.changed else ""


def _sweep(moment: Moment) -> str:
    return f"sweep {_judged(moment) or 'finds nothing to do'}"


def _cancel(moment: Moment) -> str:
    return "tasks/cancel is acknowledged" if moment.becomes("acknowledged") else "tasks/cancel arrives"


def _renew_many(moment: Moment) -> str:
    count, until = moment.args["count"], moment.args["until"]
    return f"renews its lease {count} times, every {readable((until - moment.at_ms) / count)}, until {readable(until)}"


def _again(moment: Moment) -> str:
    return f"the same call arrives again, reissued at {readable(moment.args['sent_at'])}"


def _attempts(moment: Moment) -> str:
    return f"attempts fail one after the other, until {readable(moment.args['until'])}"


def _attempt(moment: Moment) -> str:
    return f"attempt {moment.old('attempt', 1)} fails, the next follows in {readable(moment.new('delay', 0))}"


def _retry(moment: Moment) -> str:
    return f"attempt {moment.new('attempt')} begins"


def _constant(words: str) -> Callable[[Moment], str]:
    return lambda _moment: words


PHRASES: dict[str, Callable[[Moment], str]] = {
    # client
    "create": _create,
    "create_again": _again,
    "handle_arrives": _constant("the handle arrives"),
    "poll": _poll,
    "polls": _polls,
    "polls_end": _polls_end,
    "reply_arrives": _reply,
    "failure_noticed": _constant("the poll has failed, as the client now notices"),
    "leave": _leave,
    "give_up": _give_up,
    "read": _constant("reads the task"),
    # server and reaper
    "tasks/get": _get,
    "tasks/cancel": _cancel,
    "sweep": _sweep,
    "ttl_ends": _constant("the ttl ends"),
    "lives_on": _constant("the task is still there"),
    "still_working": _constant("the task is still working"),
    "lease_expires": _constant("the lease expires"),
    "redeliver": _constant("the task is given to a second worker"),
    "retry": _retry,
    "deadline_fires": _constant("the deadline fails the task"),
    # worker
    "write_terminal": _constant("the work is done"),
    "write_terminal_again": _constant("the work is done again"),
    "work_stops": _constant("the work stops, as it was told to"),
    "still_running": _constant("the work is still running"),
    "renew_lease": _constant("renews its lease"),
    "renew_leases": _renew_many,
    "crash": _constant("crashes"),
    "attempt_fails": _attempt,
    "attempts_fail": _attempts,
    # a question to a human
    "input_required": _constant("the work asks a question"),
    "answer": _constant("answers"),
    "tasks/update": _constant("tasks/update with the answer arrives"),
    "input_request_timeout_ends": _constant("the request for input times out"),
    "overall_timeout_ends": _constant("the client's overall timeout ends"),
    "input_window_ends": _constant("the input window ends"),
    "input_state_retention_ends": _constant("the parked state is forgotten"),
    "orphan_window_ends": _constant("the orphan window ends"),
    "execution_deadline_ends": _constant("the deadline fails the task"),
    "enforced_ttl_ends": _constant("the ttl ends"),
}
"""Each action of the timing systems in words."""


# -- what is told as one ------------------------------------------------------------------------------------------


def _created(moments: Sequence[Moment]) -> str:
    took = moments[-1].at_ms - moments[0].at_ms
    return "the task is created, its handle arrives" + (f" {readable(took)} later" if took else "")


def _polled(moments: Sequence[Moment]) -> str:
    return f"polls {_pause(moments[0])}: {_answer(moments[-1])}{_later(moments)}"


def _polled_often(rounds: Sequence[Sequence[Moment]]) -> str:
    pauses = [one[0].at_ms - one[0].old("since", 0) for one in rounds]
    first, last = readable(pauses[0]), readable(pauses[-1])
    between = f"pauses of {first}" if first == last else f"pauses {first} to {last}"
    return f"{len(rounds)} more polls, {between}, all working"


def _polled_steadily(moments: Sequence[Moment]) -> str:
    return f"{_polls(moments[0])}"


def _failed(moments: Sequence[Moment]) -> str:
    return f"polls {_pause(moments[0])}: no answer, noticed {readable(moments[-1].at_ms - moments[0].at_ms)} later"


def _failed_often(rounds: Sequence[Sequence[Moment]]) -> str:
    return f"{len(rounds)} more polls that fail"


def _later(moments: Sequence[Moment]) -> str:
    took = moments[-1].at_ms - moments[0].at_ms
    return f" ({readable(took)} later)" if took else ""


ROUNDS = (
    Round(("create", "handle_arrives"), _created),
    Round(("poll", "tasks/get", "reply_arrives"), _polled, _polled_often),
    Round(("poll", "tasks/get", "failure_noticed"), _failed, _failed_often),
    Round(("poll", "failure_noticed"), _failed, _failed_often),
    Round(("polls", "polls_end"), _polled_steadily),
)
"""Actions told as one row; the longer patterns come first."""
