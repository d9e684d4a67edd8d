"""A long campaign over many machines: one command of latchcheck for each of many seeds, its finds gathered once.

    python campaign.py 0:200 -o found -- fuzz --scope deep --policy terminal_guard=check-then-set
    python campaign.py 0:50 -o found --scheduler tcp://head:8786 -- race --target sqlite --rounds 1000
    python campaign.py 0:500 -o found -- verify configs/{seed}.toml

`{seed}` stands for the seed; where it does not occur, `--seed N` is added. Every answer is kept as `found/seeds/N.json`
and every find as a fixture below `found/fixtures`; a seed whose answer is there is not asked again, so that a campaign
that was ended goes on where it was. Needs `pip install 'latchcheck[cluster]'` here and on every worker.
Exit code: that of the worst seed, by the order of latchcheck's own.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from logging import CRITICAL
from pathlib import Path

from latchcheck.kernel.exits import PRECEDENCE, Exit

SAVES = {"fuzz": ("-o", "saved"), "verify": ("--save", "saved"), "race": ("--save", "saved/race.json")}
"""How each verb is told where its finds go: an option, and a folder or a file."""
NO_ANSWER = (2, 3)
"""Exit codes that answer nothing: bad input, a failure of the checker."""


def run(seed, arguments, files):
    """Runs on a worker: one command in a folder of its own, and all that came of it as plain text."""
    with tempfile.TemporaryDirectory(prefix="latchcheck-campaign-") as folder:
        for name, content in files.items():
            (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
            (Path(folder) / name).write_text(content, encoding="utf-8")
        (Path(folder) / "saved").mkdir(exist_ok=True)
        command = [sys.executable, "-c", "from latchcheck.cli.main import run; run()", *arguments]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603
        saved = sorted((Path(folder) / "saved").rglob("*.json"))
        return {
            "seed": seed,
            "exit": done.returncode,
            "answer": json.loads(done.stdout) if done.stdout else None,
            "errors": done.stderr.splitlines()[-20:],
            "fixtures": [path.read_text(encoding="utf-8") for path in saved],
        }


def told(seed, arguments):
    """The command for one seed."""
    verb, *rest = (one.replace("{seed}", str(seed)) for one in arguments)
    seeded = any("{seed}" in one for one in arguments) or verb == "verify"
    return [verb, *rest, *(() if seeded else ("--seed", str(seed))), *SAVES[verb], "--format", "json"]


def sent(arguments):
    """What the files hold that a command names, which are not on other machines; an absolute name means one there."""
    inside = [one for one in arguments if not Path(one).is_absolute() and ".." not in Path(one).parts]
    return {one: Path(one).read_text(encoding="utf-8") for one in inside if Path(one).is_file()}


def write(path, text):
    """Whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    aside.write_text(text, encoding="utf-8")
    aside.replace(path)


def keep(came, folder):
    """Write down what came of a seed; its finds first, and one that is there already is not written again."""
    for text in came.pop("fixtures"):
        fixture = json.loads(text)
        path = folder / "fixtures" / f"{fixture['id']}.json"
        there = [json.loads(one.read_text(encoding="utf-8")) for one in path.parent.glob("*.json")]
        if meaning(fixture) in [meaning(one) for one in there]:
            continue
        if path.exists():  # another run of that name
            fixture["id"] += f".seed-{came['seed']}"
        write(folder / "fixtures" / f"{fixture['id']}.json", json.dumps(fixture, indent=2, ensure_ascii=False) + "\n")
    write(folder / "seeds" / f"{came['seed']}.json", json.dumps(came, indent=2, ensure_ascii=False) + "\n")


def meaning(fixture):
    """What a fixture says, whatever it is called and whoever has found it."""
    return {name: part for name, part in fixture.items() if name not in ("id", "found_by")}


def asked(words):
    """The command line, checked before anything is started."""
    cut = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], usage="%(prog)s FIRST:END -o FOLDER [options] -- fuzz|verify|race ..."
    )
    parser.add_argument("seeds", metavar="FIRST:END", help="the seeds, the end not included, such as 0:200")
    parser.add_argument("-o", dest="folder", required=True, type=Path, help="where answers and finds are kept")
    parser.add_argument("--scheduler", help="a Dask scheduler, such as tcp://head:8786; without it, this machine")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="how many, on this machine")
    found = parser.parse_args(words[:cut])
    found.arguments = words[cut + 1 :]
    if not found.arguments or found.arguments[0] not in SAVES:
        parser.error(f"behind -- write a command: {', '.join(SAVES)}")
    first, _, end = found.seeds.partition(":")
    if not (first.isdigit() and end.isdigit() and int(first) < int(end)):
        parser.error(f"{found.seeds!r} is no range of seeds; write 0:200")
    found.seeds = range(int(first), int(end))
    # Answers to two questions in one folder would be taken for answers to one.
    place = found.folder / "campaign.json"
    before = json.loads(place.read_text(encoding="utf-8")) if (found.folder / "seeds").exists() else found.arguments
    if before != found.arguments:
        parser.error(f"{found.folder} is the folder of another campaign, of {' '.join(before)}; name a new one")
    write(place, json.dumps(found.arguments) + "\n")
    return found


def answers(of, missing):
    """What comes of the seeds that have no answer yet, as it comes."""
    try:
        from distributed import Client, LocalCluster, as_completed
    except ImportError:
        sys.exit("campaign: error: this needs Dask: pip install 'latchcheck[cluster]'")
    with ExitStack() as stack:
        where = of.scheduler
        if where is None:
            here = LocalCluster(
                n_workers=of.workers, threads_per_worker=1, dashboard_address=None, silence_logs=CRITICAL
            )
            where = stack.enter_context(here)
        client = stack.enter_context(Client(where))
        commands = {seed: told(seed, of.arguments) for seed in missing}
        futures = {client.submit(run, seed, one, sent(one), pure=False): seed for seed, one in commands.items()}
        for future in as_completed(futures):
            lost = future.exception()  # of a worker that died more than once over it
            none = {"seed": futures[future], "exit": int(Exit.INTERNAL), "errors": [str(lost)], "fixtures": []}
            yield future.result() if lost is None else none


def main():
    """Go on with the campaign, and tell what there is."""
    of = asked(sys.argv[1:])
    codes, cut = [], []
    try:
        go_on(of, codes)
    except KeyboardInterrupt:
        print("campaign: interrupted; the same command goes on", file=sys.stderr)
        cut.append(Exit.INCONCLUSIVE)
    fixtures = sorted((of.folder / "fixtures").rglob("*.json"))
    counts = ", ".join(f"{codes.count(code)} with {code}" for code in sorted(set(codes)))
    print(f"{len(codes)} seeds ended: {counts}; {len(fixtures)} different finds")
    for path in fixtures:
        print(f"  {path}")
    return next((int(code) for code in PRECEDENCE if code in codes + cut), int(Exit.INTERNAL))


def go_on(of, codes):
    """Ask for every seed that has no answer yet, and keep what comes; the exit code of each is added to the list."""
    kept = {seed: of.folder / "seeds" / f"{seed}.json" for seed in of.seeds}
    missing = [seed for seed in of.seeds if not kept[seed].exists()]
    codes += [json.loads(path.read_text(encoding="utf-8"))["exit"] for path in kept.values() if path.exists()]
    for number, came in enumerate(answers(of, missing) if missing else (), 1):
        finds, code = len(came["fixtures"]), came["exit"]
        codes.append(code)
        print(f"{number} of {len(missing)}: seed {came['seed']}, exit {code}, {finds} finds", file=sys.stderr)
        if code < 0 or code in NO_ANSWER:
            print("\n".join(came["errors"]), file=sys.stderr)
        else:
            keep(came, of.folder)


if __name__ == "__main__":
    sys.exit(main())
