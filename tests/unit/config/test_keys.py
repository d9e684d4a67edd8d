"""The key table: complete, and in agreement with the records and the semantics."""

from __future__ import annotations

import attrs
import pytest

from latchcheck.model.keys import BY_FLAT, KEYS, RECORDS, Key, assumption, find

# docs/reference/semantics.md, section 3, "Keys", typed again
SEMANTICS = {
    "client": "initial_delay multiplier max_delay min_delay jitter hint_mode ttl_mode request_timeout "
    "error_initial_delay error_multiplier error_max_delay max_consecutive_errors overall_timeout "
    "overall_timeout_from restart_gap requested_ttl retry_horizon input_request_timeout polls_while_waiting "
    "cancel_on_abandon",
    "server": "poll_interval advertised_ttl advertised_anchor enforced_ttl enforced_anchor expiry_action "
    "expire_running expiry_stops_work sweep_period sweep_lateness sweep_order orphan_window orphan_comparison "
    "contact_includes execution_deadline clock_skew lease_timeout lease_renewal lease_sweep max_attempts "
    "retry_initial_delay retry_multiplier retry_max_delay idempotency_retention cancel_marker_retention "
    "input_window input_state_retention",
    "network": "latency max_consecutive_failures",
    "workload": "execution human_answer stall works_on_after_cancel",
}
OURS = {
    "server.honours_requested_ttl",
    "server.orphan_bound",
    "server.abandoned_work_bound",
    "server.expired_terminal",
}
PROPERTIES = {
    "no-live-orphan",
    "result-reaches-client",
    "ttl-covers-execution",
    "patience-covers-execution",
    "advertised-ttl-is-enforced",
    "hint-inside-orphan-window",
    "hint-inside-ttl",
    "hint-honoured",
    "restart-inside-orphan-window",
    "orphans-found-in-time",
    "timeout-is-seen",
    "retries-inside-deadline",
    "lease-outlives-stall",
    "recovery-inside-patience",
    "idempotency-outlives-retries",
    "input-window-covers-human",
    "cancel-marker-outlives-record",
    "abandoned-work-is-bounded",
    "every-window-can-fire",
    "ttl-cap-suffices",
}


def test_the_table_has_every_key_of_the_semantics_and_ours() -> None:
    """The table holds exactly the keys that the semantics name, and the four of this project."""
    named = {f"{section}.{name}" for section, names in SEMANTICS.items() for name in names.split()}
    assert {key.path for key in KEYS} == named | OURS


def test_the_table_has_every_field_of_the_records() -> None:
    """Each field of a record has one key, and each key one field."""
    fields = [f"{section}.{field.name}" for section, record in RECORDS.items() for field in attrs.fields(record)]
    assert sorted(fields) == sorted(key.flat for key in KEYS)
    assert len(BY_FLAT) == len(KEYS)


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.path)
def test_a_key_says_all_that_is_to_be_known(key: Key) -> None:
    """A key has a meaning, an assumption and a reason in whole sentences, known readers, and choices if it has any."""
    for text in (key.meaning, key.assumed, key.why):
        assert text[0].isupper()
        assert text.endswith(".")
    assert key.assumed.count(". ") == 0
    assert set(key.properties) <= PROPERTIES
    assert key.properties
    assert bool(key.choices) == (key.kind in ("choice", "order", "set"))
    assert key.source.startswith("section ") or key.path in OURS


def test_a_default_among_choices_is_the_first() -> None:
    """Where a key offers choices and has a default, the default is named first."""
    defaults = {key.path: key.default for key in KEYS if key.kind == "choice" and key.default is not None}
    assert defaults == {key.path: key.choices[0] for key in KEYS if key.path in defaults}


@pytest.mark.parametrize(
    ("name", "paths"),
    [
        ("server.orphan_window", ["server.orphan_window"]),
        ("orphan_window", ["server.orphan_window"]),
        ("orphan_window_ms", ["server.orphan_window"]),
        ("pollIntervalMs", ["server.poll_interval"]),
        ("ttl", ["client.requested_ttl", "server.advertised_ttl"]),
        ("client.ttl", ["client.requested_ttl"]),
        ("client.orphan_window", []),
        ("orphan", []),
    ],
)
def test_a_key_is_found_by_any_of_its_names(name: str, paths: list[str]) -> None:
    """A key is found with or without its section, by name, in milliseconds or as on the wire."""
    assert [key.path for key in find(name)] == paths


def test_an_assumption_is_found_by_flat_name() -> None:
    """The sentence that a verdict prints is found by the name that a verdict uses."""
    assert assumption("server.orphan_window_ms") == "The server reclaims no orphans."
