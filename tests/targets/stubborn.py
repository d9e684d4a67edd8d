"""A driver that does not end by itself: it ignores signals and the end of its input, and so does the child it has."""

import json
import signal
import subprocess
import sys
import time

for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(one, signal.SIG_IGN)
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
for line in sys.stdin:
    asked = json.loads(line)
    if asked["do"] == "event":
        break
    table = {"latchcheck": 1, "events": ["create", "dispatch", "worker_write", "cancel", "get"]}
    sys.stdout.write(json.dumps({"id": asked["id"], **(table if asked["do"] == "hello" else {})}) + "\n")
    sys.stdout.flush()
time.sleep(1000)
