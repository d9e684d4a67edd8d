"""The tables and the statements, in the SQL that SQLite and PostgreSQL share.

Instants are milliseconds, given by the caller: no statement reads a clock.
Source of the terminal write: "MCP Tasks: The Export That Finished Twice", One terminal write gets the latch.
"""

# ruff: noqa: S608 - what is put together are constants of this file

from __future__ import annotations

from typing import Final

FOREVER: Final = 2**53
OPEN: Final = "('working', 'input_required')"

TABLES: Final = (
    """CREATE TABLE IF NOT EXISTS tasks (
        task_id TEXT PRIMARY KEY, auth_key TEXT NOT NULL, idem_key TEXT, digest TEXT,
        status TEXT NOT NULL, version BIGINT NOT NULL, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL,
        ttl_ms BIGINT NOT NULL, expires_at BIGINT NOT NULL, deadline_at BIGINT NOT NULL,
        last_contact BIGINT NOT NULL, silence_ms BIGINT NOT NULL, lease_ms BIGINT NOT NULL,
        cancel_intent INTEGER NOT NULL DEFAULT 0, input_key TEXT, failure TEXT,
        attempt INTEGER NOT NULL DEFAULT 0, attempts_max INTEGER NOT NULL, holder TEXT, lease_until BIGINT,
        UNIQUE (auth_key, idem_key))""",
    "CREATE TABLE IF NOT EXISTS outbox (task_id TEXT PRIMARY KEY)",
    "CREATE TABLE IF NOT EXISTS queue (task_id TEXT PRIMARY KEY)",
    "CREATE TABLE IF NOT EXISTS asked (task_id TEXT, input_key TEXT, PRIMARY KEY (task_id, input_key))",
    "CREATE TABLE IF NOT EXISTS effects (task_id TEXT, attempt TEXT, PRIMARY KEY (task_id, attempt))",
)
SIDE_TABLES: Final = ("outbox", "queue", "asked")

INSERT: Final = """INSERT INTO tasks (task_id, auth_key, idem_key, digest, status, version, created_at, updated_at,
        ttl_ms, expires_at, deadline_at, last_contact, silence_ms, lease_ms, attempts_max)
    VALUES (:task, :auth, :key, :digest, 'working', 1, :now, :now,
        :ttl_ms, :expires_at, :deadline_at, :now, :silence_ms, :lease_ms, :attempts_max)
    ON CONFLICT DO NOTHING"""
PRIOR: Final = "SELECT task_id, digest FROM tasks WHERE auth_key = :auth AND idem_key = :key"
READ: Final = """SELECT status, version, auth_key, expires_at, holder, attempt, attempts_max, input_key
    FROM tasks WHERE task_id = :task"""
CONTACT: Final = f"UPDATE tasks SET last_contact = :now WHERE task_id = :task AND auth_key = :auth AND status IN {OPEN}"
LIST: Final = "SELECT task_id FROM tasks WHERE auth_key = :auth ORDER BY task_id"

OUTBOX: Final = "INSERT INTO outbox (task_id) VALUES (:task) ON CONFLICT DO NOTHING"
PUBLISH: Final = "INSERT INTO queue (task_id) SELECT task_id FROM outbox WHERE TRUE ON CONFLICT DO NOTHING"
PUBLISHED: Final = "DELETE FROM outbox WHERE task_id IN (SELECT task_id FROM queue)"
ENQUEUE: Final = "INSERT INTO queue (task_id) VALUES (:task) ON CONFLICT DO NOTHING"
ACKNOWLEDGE: Final = "DELETE FROM queue WHERE task_id = :task"
TAKE: Final = f"""UPDATE tasks SET holder = :worker, lease_until = :now + lease_ms, attempt = attempt + 1
    WHERE task_id = :task AND status IN {OPEN} AND attempt < attempts_max
        AND (holder IS NULL OR lease_until <= :now) AND task_id IN (SELECT task_id FROM queue)"""
RELEASE: Final = "UPDATE tasks SET holder = NULL, lease_until = NULL WHERE task_id = :task AND holder = :worker"

# The predicate over id, owner, version, open status and life. A worker's write is fenced by its lease as well.
SWAP: Final = f"""UPDATE tasks SET status = :next, version = version + 1, updated_at = :now,
        expires_at = CASE WHEN :terminal = 1 THEN :now + ttl_ms ELSE expires_at END,
        input_key = :input_key, failure = :failure
    WHERE task_id = :task AND auth_key = :auth AND version = :expected AND status IN {OPEN} AND expires_at > :now
        AND (:worker = '' OR COALESCE(holder, '') = :worker)
        AND NOT EXISTS (SELECT 1 FROM asked WHERE asked.task_id = :task AND asked.input_key = :input_key)"""
REUSED: Final = "SELECT 1 FROM asked WHERE task_id = :task AND input_key = :key"
CANCEL: Final = f"""UPDATE tasks SET status = 'cancelled', version = version + 1, updated_at = :now, cancel_intent = 1,
        expires_at = :now + ttl_ms, input_key = NULL
    WHERE task_id = :task AND auth_key = :auth AND status IN {OPEN} AND expires_at > :now"""
ASKED: Final = "INSERT INTO asked (task_id, input_key) VALUES (:task, :key) ON CONFLICT DO NOTHING"
ANSWER: Final = """UPDATE tasks SET status = 'working', version = version + 1, updated_at = :now, input_key = NULL
    WHERE task_id = :task AND auth_key = :auth AND status = 'input_required' AND input_key = :key"""
EFFECT: Final = "INSERT INTO effects (task_id, attempt) VALUES (:task, :attempt) ON CONFLICT DO NOTHING"

# What reads and then writes looks at nothing when it writes.
BLIND: Final = """UPDATE tasks SET status = :next, version = version + 1, updated_at = :now WHERE task_id = :task"""

TIMEOUTS: Final = f"""UPDATE tasks SET status = 'failed', failure = 'timed_out', version = version + 1,
        updated_at = :now, expires_at = :now + ttl_ms, input_key = NULL
    WHERE status IN {OPEN} AND deadline_at < :now"""
SPENT: Final = f"""UPDATE tasks SET status = 'failed', failure = 'poison', version = version + 1,
        updated_at = :now, expires_at = :now + ttl_ms, input_key = NULL
    WHERE status IN {OPEN} AND attempt >= attempts_max AND (holder IS NULL OR lease_until <= :now)"""
ORPHANS: Final = f"""UPDATE tasks SET status = 'cancelled', version = version + 1,
        updated_at = :now, expires_at = :now + ttl_ms, input_key = NULL
    WHERE status IN {OPEN} AND :now - last_contact > silence_ms"""
EXPIRED: Final = "DELETE FROM tasks WHERE expires_at <= :now"
SWEPT: Final = tuple(f"DELETE FROM {name} WHERE task_id NOT IN (SELECT task_id FROM tasks)" for name in SIDE_TABLES)

FREE: Final = f"""UPDATE tasks SET holder = NULL, lease_until = NULL
    WHERE status IN {OPEN} AND holder IS NOT NULL AND (:alone = 1 OR lease_until <= :now)"""
RESUME: Final = f"INSERT INTO queue (task_id) SELECT task_id FROM tasks WHERE status IN {OPEN} ON CONFLICT DO NOTHING"

# What a kill experiment looks at afterwards.
COUNTS: Final = {
    "outbox": "SELECT COUNT(*) FROM outbox WHERE task_id = :task",
    "queued": "SELECT COUNT(*) FROM queue WHERE task_id = :task",
    "asked": "SELECT COUNT(*) FROM asked WHERE task_id = :task",
    "effects": "SELECT COUNT(*) FROM effects WHERE task_id = :task",
    "named": "SELECT COUNT(*) FROM tasks WHERE idem_key = :task",
}
