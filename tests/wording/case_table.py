"""What each property file of docs/cases must come out as: verdicts, relations, and the runs that tell readings apart.

The relation of two readings is that of the first to the second. A run is named by the model in which it is found and by
its steps: first the run that obeys the first reading and breaks the second, then the reverse.
The runs that are worked out by hand are in `by_hand.py`.
"""

from __future__ import annotations

Run = tuple[str, int]
Row = tuple[str, Run | None, Run | None]

VERDICTS: dict[str, dict[str, str]] = {
    "asks-after-cancel": {"no-new-questions": "violated", "may-ask": "holds"},
    "blocked-result": {"returns-the-outcome": "holds", "error": "violated", "returns-in-the-end": "holds",
         "closed": "holds"},
    "cancel-of-terminal": {"acknowledged": "holds", "refused": "violated", "refused-unless-cancelled": "violated"},
    "cooperative-cancel": {"demanded": "violated", "demanded-of-a-fixture": "holds",
                           "intent": "holds", "acknowledged": "holds", "freedom": "holds"},
    "denial": {"inherit-core": "holds", "restore-the-old-text": "vacuous", "writes-alone": "holds"},
    "durable-creation": {"on-disk": "holds", "resolves": "holds"},
    "first-terminal-wins": {"atomic": "holds", "looked-before": "holds", "first-wins": "holds", "last-wins": "vacuous"},
    "hint-first-poll": {"from-the-create-reply": "violated", "from-the-first-poll": "holds",
         "limits-the-early-alone": "holds"},
    "hint-zero": {"zero-is-no-hint": "violated", "zero-is-a-hint": "holds"},
    "idle-ttl": {"from-creation": "holds", "from-last-activity": "violated", "never-while-working": "violated"},
    "is-error": {"completed": "violated", "failed": "violated", "failed-or-tried-again": "holds"},
    "latch": {"outcome": "holds", "status": "violated", "write": "holds"},
    "late-completion": {"editorial": "holds", "legal": "vacuous", "works-on": "holds"},
    "lost-create-reply": {"duplicate-allowed": "holds", "no-duplicate": "violated", "client-compensates": "violated"},
    "lost-handle-end": {"the-ttl-ends-it": "holds", "nothing-ends-it": "violated", "the-work-ends-too": "violated"},
    "lost-handle": {"nobody-until-ttl": "violated", "server-policy": "holds", "never": "violated"},
    "mismatching-answer": {"reject": "violated", "ask-again": "violated", "accept": "holds"},
    "notification": {"exact": "violated", "best-effort": "holds", "ordered": "holds", "last-one-comes": "violated",
         "state-on-subscribe": "holds"},
    "observed": {"observed": "violated", "clients-risk": "holds"},
    "overdue-then-kept": {"one-more-window": "holds", "deleted-at-any-time": "vacuous",
         "late-work-is-refused": "holds"},
    "paper-e4": {"nominal": "violated", "jittered": "violated", "jittered-or-equal": "holds",
         "seen-by-the-server": "holds", "seen-or-equal": "holds"},
    "replayed-question": {"new-key": "holds", "same-key": "vacuous", "not-asked-again": "violated"},
    "seed": {"working": "holds", "open": "holds", "any": "vacuous"},
    "superseded-key": {"only-by-the-end": "holds", "may-withdraw": "vacuous", "never": "violated"},
    "ttl-bounds": {"retention-only": "violated", "execution-bound": "holds", "both": "violated",
         "usability-hint": "holds"},
    "ttl-failure": {"rule-applies": "violated", "ttl-is-exempt": "holds", "ttl-and-deadline-alone": "holds"},
    "ttl-unit": {"milliseconds": "holds", "seconds": "violated", "told-in-seconds": "holds"},
    "ttl": {"kept-from-creation": "holds", "kept-from-terminal": "violated",
         "kept-from-creation-strictly": "violated", "bounds-work": "holds"},
    "unusable": {"own-update": "holds", "any-end": "holds", "no-condition": "holds"},
    "vanish": {"through-failed": "violated", "may-vanish": "holds"},
    "whose-clock": {"one-clock": "violated", "margin": "holds", "from-receipt": "violated"},
}  # fmt: skip

RELATIONS: dict[str, dict[str, Row]] = {
    "asks-after-cancel": {
        "no-new-questions / may-ask": ("A stronger", None, ("guarded", 4)),
    },
    "blocked-result": {
        "returns-the-outcome / error": ("B stronger", ("era=2025-11-25", 4), None),
        "returns-the-outcome / returns-in-the-end": ("B stronger", ("cancel_ack=outcome", 4), None),
        "returns-the-outcome / closed": ("compatible", None, None),
        "error / returns-in-the-end": ("incomparable", ("cancel_ack=outcome", 4), ("era=2025-11-25", 4)),
        "error / closed": ("A stronger", None, ("era=2025-11-25", 7)),
        "returns-in-the-end / closed": ("A stronger", None, ("cancel_ack=outcome", 7)),
    },
    "cancel-of-terminal": {
        "acknowledged / refused": ("incomparable", ("guarded", 4), ("era=2025-11-25", 4)),
        "acknowledged / refused-unless-cancelled": ("incomparable", ("guarded", 4), ("era=2025-11-25", 4)),
        "refused / refused-unless-cancelled": ("A stronger", None, ("guarded", 5)),
    },
    "cooperative-cancel": {
        "demanded / demanded-of-a-fixture": ("A stronger", None, ("guarded", 2)),
        "demanded-of-a-fixture / intent": ("incomparable", ("seed_status=any", 1), ("terminal_guard=none", 4)),
        "demanded-of-a-fixture / acknowledged": ("incomparable", ("seed_status=any", 1), ("terminal_guard=none", 4)),
        "demanded-of-a-fixture / freedom": ("A stronger", None, ("terminal_guard=none", 4)),
        "demanded / intent": ("incomparable", ("seed_status=any", 1), ("guarded", 2)),
        "demanded / acknowledged": ("incomparable", ("seed_status=any", 1), ("guarded", 2)),
        "demanded / freedom": ("A stronger", None, ("guarded", 4)),
        "intent / acknowledged": ("A stronger", None, ("terminal_guard=none", 4)),
        "intent / freedom": ("compatible", None, None),
        "acknowledged / freedom": ("compatible", None, None),
    },
    "denial": {
        "inherit-core / restore-the-old-text": ("A stronger", None, ("tenant_check=off", 2)),
        "inherit-core / writes-alone": ("A stronger", None, ("tenant_check=off", 2)),
        "restore-the-old-text / writes-alone": ("B stronger", ("tenant_check=off", 3), None),
    },
    "durable-creation": {
        "on-disk / resolves": ("incomparable", ("store=volatile", 3), ("create_durability=after-reply", 2)),
    },
    "first-terminal-wins": {
        "atomic / looked-before": ("A stronger", None, ("terminal_guard=none", 4)),
        "atomic / first-wins": ("A stronger", None, ("seed_status=any", 1)),
        "atomic / last-wins": ("A stronger", None, ("terminal_guard=none", 4)),
        "looked-before / last-wins": ("compatible", None, None),
        "first-wins / last-wins": ("A stronger", None, ("terminal_guard=none", 4)),
        "looked-before / first-wins": ("incomparable", ("terminal_guard=none", 4), ("seed_status=any", 1)),
    },
    "hint-first-poll": {
        "from-the-create-reply / from-the-first-poll": ("A stronger", None, ("as configured", 3)),
        "from-the-create-reply / limits-the-early-alone": ("incomparable",
             ("client.hint_mode=replace,server.poll_interval=4ms", 5), ("as configured", 3)),
        "from-the-first-poll / limits-the-early-alone": ("B stronger",
             ("client.hint_mode=replace,server.poll_interval=4ms", 5), None),
    },
    "hint-zero": {
        "zero-is-no-hint / zero-is-a-hint": ("A stronger", None, ("as configured", 3)),
    },
    "idle-ttl": {
        "from-creation / from-last-activity": ("B stronger", ("as configured", 6), None),
        "from-creation / never-while-working": ("B stronger", ("as configured", 6), None),
        "from-last-activity / never-while-working": ("incomparable",
             ("client.hint_mode=replace,server.poll_interval=4ms", 3), ("as configured", 7)),
    },
    "is-error": {
        "completed / failed": ("A stronger", None, ("guarded", 3)),
        "completed / failed-or-tried-again": ("A stronger", None, ("guarded", 3)),
        "failed / failed-or-tried-again": ("A stronger", None, ("guarded", 3)),
    },
    "latch": {
        "outcome / status": ("B stronger", ("guarded", 4), None),
        "outcome / write": ("B stronger", ("terminal_guard=none", 4), None),
        "status / write": ("incomparable", ("terminal_guard=none", 4), ("guarded", 4)),
    },
    "late-completion": {
        "editorial / legal": ("A stronger", None, ("expiry_check=off", 4)),
        "editorial / works-on": ("A stronger", None, ("expiry_check=off", 4)),
        "legal / works-on": ("incomparable", ("expiry_check=off", 4), ("guarded", 3)),
    },
    "lost-create-reply": {
        "duplicate-allowed / no-duplicate": ("B stronger", ("idempotency=none,client_reissue=new-key", 6), None),
        "duplicate-allowed / client-compensates": ("B stronger", ("idempotency=none,client_reissue=new-key", 6), None),
        "no-duplicate / client-compensates": ("A stronger", None, ("idempotency=none,client_reissue=new-key", 8)),
    },
    "lost-handle-end": {
        "the-ttl-ends-it / nothing-ends-it": ("B stronger", ("client_reissue=never", 4), None),
        "the-ttl-ends-it / the-work-ends-too": ("B stronger", ("client_reissue=never", 7), None),
        "nothing-ends-it / the-work-ends-too": ("incomparable", ("client_reissue=never", 7), ("client_reissue=never",
             4)),
    },
    "lost-handle": {
        "nobody-until-ttl / server-policy": ("A stronger", None, ("client_reissue=never", 7)),
        "nobody-until-ttl / never": ("B stronger", ("client_reissue=never", 8), None),
        "server-policy / never": ("B stronger", ("client_reissue=never", 7), None),
    },
    "mismatching-answer": {
        "reject / ask-again": ("A stronger", None, ("input_keys=reused", 10)),
        "reject / accept": ("A stronger", None, ("input_keys=reused", 8)),
        "ask-again / accept": ("A stronger", None, ("input_keys=reused", 8)),
    },
    "notification": {
        "exact / best-effort": ("A stronger", None, ("notifications=lossy", 5)),
        "exact / ordered": ("incomparable", ("view=last-arrival-wins", 7), ("notifications=lossy", 5)),
        "exact / last-one-comes": ("incomparable", ("notifications=lossy", 4), ("notifications=lossy", 5)),
        "exact / state-on-subscribe": ("A stronger", None, ("notifications=lossy", 6)),
        "best-effort / ordered": ("B stronger", ("view=last-arrival-wins", 9), None),
        "best-effort / last-one-comes": ("B stronger", ("notifications=lossy", 6), None),
        "best-effort / state-on-subscribe": ("incomparable", ("notifications=lossy", 5), ("notifications=lossy", 4)),
        "ordered / last-one-comes": ("incomparable", ("notifications=lossy", 4), ("view=last-arrival-wins", 9)),
        "ordered / state-on-subscribe": ("A stronger", None, ("view=last-arrival-wins", 7)),
        "last-one-comes / state-on-subscribe": ("A stronger", None, ("notifications=lossy", 4)),
    },
    "observed": {
        "observed / clients-risk": ("A stronger", None, ("as configured", 9)),
    },
    "overdue-then-kept": {
        "one-more-window / deleted-at-any-time": ("A stronger", None, ("server.enforced_anchor=creation", 7)),
        "one-more-window / late-work-is-refused": ("A stronger", None, ("server.enforced_anchor=creation", 7)),
        "deleted-at-any-time / late-work-is-refused": ("compatible", None, None),
    },
    "paper-e4": {
        "nominal / jittered": ("A stronger", None, ("server.orphan_window=2ms,server.orphan_comparison=>=", 3)),
        "nominal / jittered-or-equal": ("A stronger", None, ("as configured", 3)),
        "nominal / seen-by-the-server": ("A stronger", None, ("as configured", 3)),
        "nominal / seen-or-equal": ("A stronger", None, ("as configured", 3)),
        "jittered / jittered-or-equal": ("A stronger", None, ("as configured", 3)),
        "jittered / seen-by-the-server": ("A stronger", None, ("as configured", 3)),
        "jittered / seen-or-equal": ("A stronger", None, ("as configured", 3)),
        "jittered-or-equal / seen-by-the-server": ("A stronger", None, ("server.orphan_window=4ms", 4)),
        "jittered-or-equal / seen-or-equal": ("A stronger", None, ("server.orphan_window=4ms", 4)),
        "seen-by-the-server / seen-or-equal": ("A stronger", None,
             ("server.orphan_window=5ms,server.orphan_comparison=>=", 4)),
    },
    "replayed-question": {
        "new-key / same-key": ("A stronger", None, ("input_keys=reused", 9)),
        "new-key / not-asked-again": ("B stronger", ("guarded", 5), None),
        "same-key / not-asked-again": ("B stronger", ("input_keys=reused", 9), None),
    },
    "seed": {
        "working / any": ("A stronger", None, ("seed_status=any", 1)),
        "open / any": ("A stronger", None, ("seed_status=any", 1)),
        "working / open": ("A stronger", None, ("seed_status=non-terminal", 1)),
    },
    "superseded-key": {
        "only-by-the-end / may-withdraw": ("compatible", None, None),
        "only-by-the-end / never": ("B stronger", ("guarded", 4), None),
        "may-withdraw / never": ("compatible", None, None),
    },
    "ttl-bounds": {
        "retention-only / execution-bound": ("incomparable", ("server.enforced_anchor=terminal", 8), ("as configured",
             6)),
        "retention-only / both": ("incomparable", ("as configured", 10), ("as configured", 6)),
        "retention-only / usability-hint": ("A stronger", None, ("as configured", 10)),
        "execution-bound / both": ("B stronger", ("as configured", 10), None),
        "execution-bound / usability-hint": ("A stronger", None, ("server.enforced_anchor=terminal", 9)),
        "both / usability-hint": ("A stronger", None, ("as configured", 11)),
    },
    "ttl-failure": {
        "rule-applies / ttl-is-exempt": ("A stronger", None, ("as configured", 6)),
        "rule-applies / ttl-and-deadline-alone": ("A stronger", None, ("as configured", 6)),
        "ttl-is-exempt / ttl-and-deadline-alone": ("compatible", None, None),
    },
    "ttl-unit": {
        "milliseconds / seconds": ("B stronger", ("as configured", 6), None),
        "milliseconds / told-in-seconds": ("A stronger", None, ("server.enforced_ttl=3ms", 6)),
        "seconds / told-in-seconds": ("A stronger", None, ("as configured", 6)),
    },
    "ttl": {
        "kept-from-creation / kept-from-terminal": ("B stronger", ("as configured", 10), None),
        "kept-from-creation / kept-from-creation-strictly": ("B stronger", ("as configured", 10), None),
        "kept-from-creation / bounds-work": ("incomparable",
             ("workload.execution=8ms,server.enforced_anchor=terminal", 12), ("server.clock_skew=1ms", 9)),
        "kept-from-terminal / kept-from-creation-strictly": ("incomparable", ("server.enforced_ttl=4ms", 6),
             ("server.clock_skew=1ms", 10)),
        "kept-from-terminal / bounds-work": ("incomparable",
             ("workload.execution=8ms,server.enforced_anchor=terminal", 12), ("as configured", 10)),
        "kept-from-creation-strictly / bounds-work": ("incomparable",
             ("workload.execution=8ms,server.enforced_anchor=terminal", 12), ("as configured", 10)),
    },
    "unusable": {
        "own-update / any-end": ("incomparable", ("guarded", 6), ("guarded", 2)),
        "own-update / no-condition": ("A stronger", None, ("guarded", 2)),
        "any-end / no-condition": ("A stronger", None, ("guarded", 4)),
    },
    "vanish": {
        "through-failed / may-vanish": ("A stronger", None, ("as configured", 6)),
    },
    "whose-clock": {
        "one-clock / margin": ("A stronger", None, ("as configured", 5)),
        "one-clock / from-receipt": ("B stronger", ("as configured", 5), None),
        "margin / from-receipt": ("B stronger", ("as configured", 5), None),
    },
}  # fmt: skip
