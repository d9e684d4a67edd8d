"""Small random configurations for the agreement test, drawn so that ties and equality are common."""

from fractions import Fraction
from random import Random
from typing import Any

MODES = ("floor", "replace", "ceiling", "clamp", "ignore")
ANCHORS = ("creation", "terminal", "creation-then-terminal", "activity")
ACTIONS = ("hide", "delete", "fail", "cancel")
ORDERS = (
    ("timeouts", "orphans", "expiry"),
    ("timeouts", "orphans", "expiry"),
    ("timeouts", "expiry", "orphans"),
    ("orphans", "timeouts", "expiry"),
    ("orphans", "expiry", "timeouts"),
    ("expiry", "timeouts", "orphans"),
    ("expiry", "orphans", "timeouts"),
)
JITTERS = ((1, 1), (1, 1), (1, 1), (Fraction(1, 2), 1), (1, Fraction(3, 2)), (Fraction(1, 2), Fraction(3, 2)))
LATENCIES = ((0, 0), (0, 0), (1, 1), (0, 1), (1, 2))


def client_of(rng: Random, *, failures: int, latency: tuple[int, int]) -> dict[str, Any]:
    """A client: schedule, hint mode, and each further limit with some chance."""
    multiplier = rng.choice((1, 1, 2, 2, 3, Fraction(3, 2)))
    whole = multiplier != Fraction(3, 2)  # else few fractions, so that the grid of the search stays coarse
    initial = rng.choice((1, 2, 2, 3, 4, 6) if whole else (2, 4))
    client: dict[str, Any] = {
        "initial_delay": initial,
        "multiplier": multiplier,
        "max_delay": initial if multiplier == 1 else rng.choice((initial, initial * 2, 6, 8 if whole else 6)),
        "jitter": rng.choice(JITTERS) if whole else (1, 1),
        "hint_mode": rng.choice(MODES),
        "ttl_mode": rng.choice(("ignore", "ignore", "ignore", "cap-gap", "give-up")),
    }
    if rng.random() < 0.2:
        client["min_delay"] = rng.choice((1, 2, 4))
    if failures:
        client["request_timeout"] = max(1, 2 * latency[1]) + rng.choice((0, 0, 1, 2))
        if rng.random() < 0.4:
            client["error_initial_delay"] = rng.choice((1, 2, 4))
            client["error_multiplier"] = rng.choice((1, 2, 2))
            if rng.random() < 0.5:
                client["error_max_delay"] = rng.choice((2, 4, 6))
        if rng.random() < 0.3:
            client["max_consecutive_errors"] = rng.choice((1, 2, 3))
    if rng.random() < 0.35:
        client["restart_gap"] = rng.choice((1, 2, 4, 7))
    return client


def longest_gap(client: dict[str, Any], server: dict[str, Any]) -> int:
    """Roughly the longest gap, to draw thresholds near it."""
    hint = server.get("poll_interval", 0) if client["hint_mode"] != "ignore" else 0
    return max(int(client["max_delay"] * client["jitter"][1]), hint)


def near(rng: Random, *sums: int) -> int:
    """A positive number at, just below or just above one of the sums, or a small one."""
    return max(1, rng.choice((*sums, *sums, rng.randint(2, 12))) + rng.choice((-1, 0, 0, 0, 1)))


def limits_of(rng: Random, client: dict[str, Any], server: dict[str, Any], draw: dict[str, Any]) -> None:
    """Add server limits: half of the draws have one or two, the others all or most."""
    names = ["orphan", "deadline", "ttl"]
    kept = rng.sample(names, rng.choice((1, 1, 2))) if rng.random() < 0.5 else names
    gap, latency = longest_gap(client, server), draw["network"]["latency"]
    shortest, longest = draw["workload"]["execution"]
    failing = draw["network"]["max_consecutive_failures"] * client.get("request_timeout", 0)
    silence = gap + 2 * latency[1] + failing
    away = silence + client.get("restart_gap", 0)
    if "orphan" in kept:
        server["orphan_window"] = near(rng, gap, silence, away, 2 * gap + failing)
        if rng.random() < 0.3:
            server["orphan_comparison"] = ">="
    if "deadline" in kept:
        server["execution_deadline"] = near(rng, shortest, longest, longest - gap, silence)
    if "ttl" in kept:
        ttl = near(rng, longest, longest + silence, silence, shortest + gap, gap)
        server["advertised_ttl"] = ttl
        server["advertised_anchor"] = rng.choice(ANCHORS)
        if rng.random() < 0.4:
            server["enforced_ttl"] = near(rng, ttl, ttl, longest + silence)
        if rng.random() < 0.3:
            server["enforced_anchor"] = rng.choice(ANCHORS)
        server["expiry_action"] = rng.choice(ACTIONS)
        if rng.random() < 0.25:
            server["expire_running"] = False
        if rng.random() < 0.2:
            server["expired_terminal"] = "keep"
    server["sweep_period"] = rng.choice((1, 1, 2, 2, 3, 4, 6, "lazy", "lazy"))
    if server["sweep_period"] != "lazy":
        server["sweep_lateness"] = rng.choice((0, 0, 0, 1, 2, 4))
    server["sweep_order"] = rng.choice(ORDERS)
    if rng.random() < 0.25:
        server["clock_skew"] = rng.choice((1, 1, 2))


def draw(seed: int, *, longest: int = 25) -> dict[str, Any]:
    """Configuration number `seed`; `longest` bounds the execution (milliseconds)."""
    rng = Random(seed)  # noqa: S311 -- a repeatable draw, no secret
    latency = rng.choice(LATENCIES)
    failures = rng.choice((0, 0, 0, 1, 1, 2))
    low = rng.randint(0, longest)
    high = rng.choice((low, rng.randint(low, longest), longest))
    client = client_of(rng, failures=failures, latency=latency)
    server: dict[str, Any] = {}
    if rng.random() < 0.5:
        server["poll_interval"] = rng.choice((1, 2, client["initial_delay"], client["max_delay"], 5))
    out: dict[str, Any] = {
        "client": client,
        "server": server,
        "network": {"latency": latency, "max_consecutive_failures": failures},
        "workload": {"execution": (low, high)},
    }
    limits_of(rng, client, server, out)
    if rng.random() < 0.6:
        gap = longest_gap(client, server)
        ttl = server.get("advertised_ttl", high)
        failing = failures * (client.get("request_timeout", 0) + gap)
        late = high + gap + 3 * latency[1] + failing
        ends = (high, high + gap, late, late, late + client.get("restart_gap", 0) + 1, ttl)
        client["overall_timeout"] = near(rng, *ends)
        client["overall_timeout_from"] = rng.choice(("call", "handle"))
    add_small_systems(rng, out)
    return out


def add_small_systems(rng: Random, out: dict[str, Any]) -> None:
    """Leases, attempts, keys, humans and markers, each with some chance; the whole system ignores them."""
    client, server, load = out["client"], out["server"], out["workload"]
    high, latency = load["execution"][1], out["network"]["latency"]
    if rng.random() < 0.4:
        renewal, stall = rng.choice((1, 2, 3)), rng.choice((0, 1, 2, 5))
        load["stall"] = stall
        if rng.random() < 0.7:
            server["lease_renewal"] = renewal
        server["lease_timeout"] = near(rng, renewal + stall, renewal + stall + 1, high)
        server["lease_sweep"] = rng.choice((1, 2))
    if rng.random() < 0.4 and "execution_deadline" in server:
        server["max_attempts"] = rng.choice((1, 1, 2, 3))
        server["retry_initial_delay"] = rng.choice((1, 2))
        server["retry_multiplier"] = rng.choice((1, 2))
        if rng.random() < 0.5:
            server["retry_max_delay"] = rng.choice((1, 3))
    if rng.random() < 0.4:
        client["retry_horizon"] = rng.randint(1, 10)
        server["idempotency_retention"] = near(rng, client["retry_horizon"], client["retry_horizon"] + latency[1])
    if rng.random() < 0.4:
        ttl = server.get("enforced_ttl", server.get("advertised_ttl", 5))
        server["cancel_marker_retention"] = near(rng, ttl, ttl + 2, ttl + 4)
    if rng.random() < 0.4:
        load["human_answer"] = (1, rng.randint(1, 8))
        answer = load["human_answer"][1]
        server["input_window"] = near(rng, answer, answer + 2 * latency[1])
    if rng.random() < 0.4:
        load["works_on_after_cancel"] = rng.choice((True, False, 2))
        server["expiry_stops_work"] = rng.random() < 0.5
