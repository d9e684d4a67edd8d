"""A driver that does not keep the rules: which one it breaks is its argument."""

import json
import os
import subprocess
import sys
import time

HOW = sys.argv[1]
TABLE = {
    "latchcheck": 99 if HOW == "version" else 1,
    "events": ["create", "dispatch", "worker_write", "cancel", "get", "explode"] if HOW == "table" else
    ["create", "dispatch", "worker_write", "cancel", "get"],
    "statuses": ["completed", "failed"],
    "shows": ["everything"] if HOW == "shows" else [],
}  # fmt: skip


def say(text: str) -> None:
    """Write at once."""
    sys.stdout.write(text)
    sys.stdout.flush()


def event(asked: dict) -> None:
    """Answer an event, or do not."""
    if HOW == "hang":
        time.sleep(1000)
    if HOW == "exit":
        sys.stderr.write("I have had enough\n")
        sys.exit(7)
    if HOW == "killed":
        os.kill(os.getpid(), 9)
    if HOW == "half":
        say('{"id": ')
        sys.exit(0)
    if HOW == "megabytes":
        say("x" * 3_000_000)
        time.sleep(1000)
    if HOW == "noise":
        sys.stderr.write("y" * 3_000_000)
    if HOW == "child":
        # A child keeps the output open when its parent is gone.
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
        sys.exit(3)
    replies = {
        "garbage": "hello, world\n",
        "binary": "\x00\x01\n",
        "list": "[]\n",
        "deep": "[" * 100_000 + "\n",
        "nan": f'{{"id": {asked["id"]}, "answer": {{"version": NaN}}}}\n',
        "other-id": json.dumps({"id": 12345, "answer": {}}) + "\n",
        "no-answer": json.dumps({"id": asked["id"]}) + "\n",
        "wrong-status": json.dumps({"id": asked["id"], "answer": {"status": "done"}}) + "\n",
        "wrong-type": json.dumps({"id": asked["id"], "answer": {"refused": "no"}}) + "\n",
        "wrong-work": json.dumps({"id": asked["id"], "answer": {"work": "yes"}}) + "\n",
        "wrong-keys": json.dumps({"id": asked["id"], "answer": {"asks": [1]}}) + "\n",
        "wrong-verdict": json.dumps({"id": asked["id"], "answer": {"verdict": "guilty"}}) + "\n",
        "extra": json.dumps({"id": asked["id"], "answer": {"state": "working"}}) + "\n",
        "error": json.dumps({"id": asked["id"], "error": "out of cheese"}) + "\n",
        "always-completed": json.dumps({"id": asked["id"], "answer": {"status": "completed"}}) + "\n",
        "always-yes": json.dumps({"id": asked["id"], "answer": {}}) + "\n",
        "twice": json.dumps({"id": asked["id"], "answer": {"status": "working"}}) * 2 + "\n",
        "noise": json.dumps({"id": asked["id"], "answer": {"status": "working"}}) + "\n",
        "deaf": "",
    }
    say(replies[HOW])


for line in sys.stdin:
    message = json.loads(line)
    if message["do"] == "event":
        event(message)
    else:
        say(json.dumps({"id": message["id"], **(TABLE if message["do"] == "hello" else {})}) + "\n")
