"""What `latchcheck verify` costs, as ratios taken in one run: `python tests/benchmarks/bench_verify.py`.

No test: times differ from machine to machine, and a test that watches a clock fails for reasons of its own.
The results of one machine are in docs/reference/benchmarks.md.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from time import process_time

from latchcheck.model.config import Config
from latchcheck.model.keys import KEYS
from latchcheck.model.presets import every
from latchcheck.model.reading import read
from latchcheck.properties.timing import CATALOGUE, verify
from latchcheck.properties.timing.facts import Facts
from latchcheck.properties.timing.verifying import answer

PAIR = ("verify", "--client", "strands-py", "--server", "mcp-py-1", "--set", "workload.execution=2m")
PROCESSES, CONFIGURATIONS, FULL_ONES, REPEATS, FACTOR, SEED = 15, 200, 50, 5, 1000, 20
LEAST_SECONDS = 0.0005
"""Below this a single answer is noise of the clock; it is taken for this much."""

FULL: Mapping[str, object] = {
    "client.initial_delay_ms": 1000,
    "client.multiplier": 2,
    "client.max_delay_ms": 60_000,
    "client.jitter": ["1/2", 1],
    "client.min_delay_ms": 100,
    "client.request_timeout_ms": 10_000,
    "client.overall_timeout_ms": 600_000,
    "client.restart_gap_ms": 30_000,
    "client.retry_horizon_ms": 60_000,
    "client.input_request_timeout_ms": 400_000,
    "server.poll_interval_ms": 2000,
    "server.advertised_ttl_ms": 900_000,
    "server.enforced_ttl_ms": 900_000,
    "server.enforced_anchor": "creation-then-terminal",
    "server.sweep_period_ms": 30_000,
    "server.sweep_lateness_ms": 1000,
    "server.orphan_window_ms": 120_000,
    "server.execution_deadline_ms": 500_000,
    "server.clock_skew_ms": 50,
    "server.lease_timeout_ms": 60_000,
    "server.lease_renewal_ms": 20_000,
    "server.lease_sweep_ms": 10_000,
    "server.max_attempts": 3,
    "server.retry_initial_delay_ms": 5000,
    "server.idempotency_retention_ms": 90_000,
    "server.cancel_marker_retention_ms": 100_000,
    "server.input_window_ms": 300_000,
    "server.input_state_retention_ms": 350_000,
    "network.latency_ms": [5, 200],
    "network.max_consecutive_failures": 1,
    "workload.execution_ms": [1000, 150_000],
    "workload.human_answer_ms": [1000, 200_000],
    "workload.stall_ms": 15_000,
}
"""A configuration in which every property has something to say."""


def seconds(work: Callable[[], object]) -> float:
    """Processor time of a call, which other work on the machine changes less than the time by the clock."""
    begun = process_time()
    work()
    return process_time() - begun


def process(command: Sequence[str]) -> float:
    """Processor time of a process, from its start to its end."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def start() -> tuple[float, float]:
    """Medians of a whole `verify` process and of one that only imports the solver, started in turn."""
    script = Path(sys.executable).with_name("latchcheck")
    command = [str(script) if script.exists() else shutil.which("latchcheck") or "latchcheck", *PAIR]
    solver = [sys.executable, "-c", "import z3"]
    for first in (command, solver):
        process(first)  # compiles what is not compiled yet
    pairs = [(process(command), process(solver)) for _ in range(PROCESSES)]
    return statistics.median(one for one, _ in pairs), statistics.median(other for _, other in pairs)


def drawn(count: int) -> list[Config]:
    """Configurations with every limit, each number up to four times or a quarter of that in `FULL`."""
    draw = random.Random(SEED)  # noqa: S311 - numbers to try, no secrets
    config = Config().replace(FULL)

    def scaled(value: object) -> object:
        if isinstance(value, list):
            return sorted(int(one * draw.uniform(0.25, 4)) for one in value)
        return int(value * draw.uniform(0.25, 4)) if isinstance(value, int) else value

    timed = {key: value for key, value in FULL.items() if key.endswith("_ms")}
    return [config.replace({key: scaled(value) for key, value in timed.items()}) for _ in range(count)]


def pairs(count: int) -> list[Callable[[], object]]:
    """Published clients against published servers with some length of the work, read and answered."""
    draw = random.Random(SEED)  # noqa: S311 - numbers to try, no secrets
    clients, servers = ([one.id for one in every() if one.party == party] for party in ("client", "server"))

    def question() -> Callable[[], object]:
        client, server, work = draw.choice(clients), draw.choice(servers), draw.randrange(1, 3600)
        return lambda: verify(read([], client=client, server=server, sets=[f"workload.execution={work}s"]))

    return [question() for _ in range(count)]


def larger() -> Iterator[tuple[str, str, Sequence[float]]]:
    """For each property the duration that costs most when it is a thousand times as long.

    Yields property, key, and the seconds with that duration as it is, a thousand and a million times as long.
    """
    plain = Config().replace(FULL)
    before = answers(plain)
    worst: dict[str, tuple[str, float]] = {}
    keys = [one.flat for one in KEYS if one.flat in FULL and one.flat.endswith("_ms")]
    for key in keys:
        for name, took in answers(longer(plain, key, FACTOR)).items():
            if name not in worst or took > worst[name][1]:
                worst[name] = key, took
    for name in CATALOGUE:
        key, took = worst[name]
        yield name, key, (before[name], took, one_answer(name, longer(plain, key, FACTOR * FACTOR)))


def longer(config: Config, key: str, factor: int) -> Config:
    """The configuration with one duration so many times as long."""
    value = config.flat()[key]
    return config.replace(
        {key: [factor * one for one in value] if isinstance(value, list) else factor * int(str(value))}
    )


def answers(config: Config) -> dict[str, float]:
    """Seconds for each property alone."""
    return {name: one_answer(name, config) for name in CATALOGUE}


def one_answer(name: str, config: Config) -> float:
    """Seconds for the answer to one property, a run of the harm included and repairs left out; the best of several."""
    return min(seconds(lambda: answer(name, Facts(config))) for _ in range(REPEATS))


def main() -> None:
    """Print the three tables in Markdown."""
    whole, solver = start()
    print("| process | seconds | ratio |\n|---|--:|--:|")
    print(f'| `python -c "import z3"` | {solver:.3f} | 1.0 |')
    print(f"| `latchcheck {' '.join(PAIR)}` | {whole:.3f} | {whole / solver:.1f} |\n")
    rows = {
        f"{CONFIGURATIONS} pairs of presets, read and answered": [seconds(ask) for ask in pairs(CONFIGURATIONS)],
        f"{FULL_ONES} with every limit set": [seconds(lambda one=one: verify(one)) for one in drawn(FULL_ONES)],
    }
    print("| configurations in one process | mean ms | median ms | slowest ms |\n|---|--:|--:|--:|")
    for title, times in rows.items():
        cells = (statistics.mean(times), statistics.median(times), max(times))
        print(f"| {title} |", " | ".join(f"{1000 * cell:.1f}" for cell in cells), "|")
    print(f"\n| property | ms | slowest duration times {FACTOR} | ms | times {FACTOR * FACTOR} ms | last two, ratio |")
    print("|---|--:|---|--:|--:|--:|")
    for name, key, times in larger():
        ratio = max(times[2], LEAST_SECONDS) / max(times[1], LEAST_SECONDS)
        first, second, third = (f"{1000 * time:.1f}" for time in times)
        print(f"| `{name}` | {first} | `{key.removesuffix('_ms')}` | {second} | {third} | {ratio:.1f} |")


if __name__ == "__main__":
    main()
