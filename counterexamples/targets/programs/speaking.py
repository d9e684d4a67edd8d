"""The driver protocol, for the programs here: docs/reference/driver-protocol.md, version 1.

A session is any object with a coroutine for each event, which takes the message and returns the answer. It raises
Cannot for what it has no way to do.
"""

import asyncio
import json
import os
import sys
from pathlib import Path

VERSION = 1


class Cannot(Exception):
    """The product has no way to do this, or not so; the text says why."""


async def speak(program, begin):
    """Answer every line of standard input until it ends; `begin` makes a session without tasks.

    The capability table is in the file beside `program`. What a product prints goes to standard error.
    """
    table = json.loads(Path(program).with_suffix(".table.json").read_text(encoding="utf-8"))
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    session = None
    while line := await asyncio.to_thread(sys.stdin.readline):
        asked = json.loads(line)
        reply = {"id": asked["id"]}
        if asked["do"] == "hello":
            reply |= {"latchcheck": VERSION, **table}
        elif asked["do"] == "event":
            reply |= await told(session, asked)
        else:  # open, close
            await ended(session)
            session = begin() if asked["do"] == "open" else None
        out.write(json.dumps(reply) + "\n")
        out.flush()
    await ended(session)


async def told(session, asked):
    """The answer to an event, or why there is none."""
    if session is None:
        return {"error": "an event before open"}
    try:
        return {"answer": await getattr(session, asked["event"])(asked)}
    except Cannot as why:
        return {"cannot": str(why)}
    except AttributeError as missing:
        if missing.name != asked["event"]:
            raise
        return {"cannot": f"it has no {asked['event']}"}


async def ended(session):
    """Let a session clean up, where it has something to."""
    if hasattr(session, "close"):
        await session.close()
