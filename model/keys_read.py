"""Which keys each timing property reads: those of which another value can change its verdict.

Repairs move what stands here, verdicts name the assumptions of it, and `explain` and the reference page show it.
A test draws configurations, moves keys, and fails for a pair that changes a verdict and is missing.
"""

from typing import Final

_READS: Final[dict[str, dict[str, str]]] = {
    "no-live-orphan": {
        "client": "initial_delay multiplier max_delay min_delay jitter hint_mode ttl_mode request_timeout "
        "error_initial_delay error_multiplier error_max_delay max_consecutive_errors "
        "overall_timeout overall_timeout_from restart_gap requested_ttl",
        "server": "poll_interval advertised_ttl advertised_anchor enforced_ttl enforced_anchor "
        "expire_running honours_requested_ttl sweep_period sweep_lateness sweep_order "
        "orphan_window orphan_comparison contact_includes execution_deadline clock_skew",
        "network": "latency max_consecutive_failures",
        "workload": "execution",
    },
    "result-reaches-client": {
        "client": "initial_delay multiplier max_delay min_delay jitter hint_mode ttl_mode request_timeout "
        "error_initial_delay error_multiplier error_max_delay max_consecutive_errors "
        "overall_timeout overall_timeout_from restart_gap requested_ttl",
        "server": "poll_interval advertised_ttl advertised_anchor enforced_ttl enforced_anchor "
        "expiry_action expired_terminal expire_running honours_requested_ttl sweep_period "
        "sweep_lateness sweep_order orphan_window orphan_comparison execution_deadline clock_skew",
        "network": "latency max_consecutive_failures",
        "workload": "execution",
    },
    "ttl-covers-execution": {
        "client": "initial_delay multiplier max_delay min_delay jitter hint_mode ttl_mode request_timeout "
        "error_initial_delay error_multiplier error_max_delay max_consecutive_errors "
        "overall_timeout overall_timeout_from restart_gap requested_ttl",
        "server": "poll_interval advertised_ttl advertised_anchor enforced_ttl enforced_anchor "
        "expiry_action expire_running honours_requested_ttl sweep_period sweep_lateness "
        "sweep_order orphan_window execution_deadline clock_skew",
        "network": "latency max_consecutive_failures",
        "workload": "execution",
    },
    "patience-covers-execution": {
        "client": "initial_delay multiplier max_delay min_delay jitter hint_mode ttl_mode request_timeout "
        "error_initial_delay error_multiplier error_max_delay max_consecutive_errors "
        "overall_timeout overall_timeout_from restart_gap requested_ttl",
        "server": "poll_interval advertised_ttl honours_requested_ttl execution_deadline",
        "network": "latency max_consecutive_failures",
        "workload": "execution",
    },
    "advertised-ttl-is-enforced": {
        "client": "initial_delay multiplier max_delay min_delay jitter hint_mode ttl_mode request_timeout "
        "error_initial_delay error_multiplier error_max_delay max_consecutive_errors restart_gap "
        "requested_ttl",
        "server": "advertised_ttl advertised_anchor enforced_ttl enforced_anchor expiry_action "
        "expire_running honours_requested_ttl clock_skew",
        "network": "latency",
        "workload": "execution",
    },
    "hint-inside-orphan-window": {
        "client": "requested_ttl",
        "server": "poll_interval advertised_ttl advertised_anchor enforced_ttl enforced_anchor "
        "expire_running honours_requested_ttl sweep_period sweep_lateness sweep_order "
        "orphan_window orphan_comparison execution_deadline clock_skew",
        "network": "latency",
        "workload": "execution",
    },
    "hint-inside-ttl": {
        "client": "requested_ttl",
        "server": "poll_interval advertised_ttl advertised_anchor enforced_ttl enforced_anchor "
        "expiry_action expire_running honours_requested_ttl clock_skew",
        "network": "latency",
        "workload": "execution",
    },
    "hint-honoured": {
        "client": "initial_delay multiplier max_delay min_delay jitter hint_mode ttl_mode request_timeout "
        "error_initial_delay error_multiplier error_max_delay max_consecutive_errors "
        "overall_timeout overall_timeout_from requested_ttl",
        "server": "poll_interval advertised_ttl honours_requested_ttl",
        "network": "latency max_consecutive_failures",
    },
    "restart-inside-orphan-window": {
        "client": "initial_delay multiplier max_delay min_delay jitter hint_mode ttl_mode request_timeout "
        "error_initial_delay error_multiplier error_max_delay max_consecutive_errors "
        "overall_timeout overall_timeout_from restart_gap requested_ttl",
        "server": "poll_interval advertised_ttl advertised_anchor enforced_ttl enforced_anchor "
        "expire_running honours_requested_ttl sweep_period sweep_lateness sweep_order "
        "orphan_window orphan_comparison contact_includes execution_deadline clock_skew",
        "network": "latency max_consecutive_failures",
        "workload": "execution",
    },
    "orphans-found-in-time": {
        "client": "cancel_on_abandon",
        "server": "sweep_period sweep_lateness orphan_window orphan_comparison orphan_bound clock_skew",
    },
    "timeout-is-seen": {
        "client": "initial_delay multiplier max_delay min_delay jitter hint_mode ttl_mode request_timeout "
        "error_initial_delay error_multiplier error_max_delay max_consecutive_errors "
        "overall_timeout overall_timeout_from restart_gap requested_ttl",
        "server": "poll_interval advertised_ttl advertised_anchor enforced_ttl enforced_anchor "
        "expiry_action expired_terminal expire_running honours_requested_ttl sweep_period "
        "sweep_lateness sweep_order execution_deadline clock_skew",
        "network": "latency max_consecutive_failures",
        "workload": "execution",
    },
    "retries-inside-deadline": {
        "server": "execution_deadline clock_skew max_attempts retry_initial_delay retry_multiplier retry_max_delay",
        "workload": "execution",
    },
    "lease-outlives-stall": {
        "server": "lease_timeout lease_renewal lease_sweep",
        "workload": "execution stall",
    },
    "recovery-inside-patience": {
        "client": "ttl_mode overall_timeout overall_timeout_from restart_gap requested_ttl",
        "server": "advertised_ttl honours_requested_ttl lease_timeout lease_renewal lease_sweep",
        "network": "latency",
        "workload": "execution stall",
    },
    "idempotency-outlives-retries": {
        "client": "retry_horizon",
        "server": "idempotency_retention",
        "network": "latency",
    },
    "input-window-covers-human": {
        "client": "initial_delay multiplier max_delay min_delay jitter hint_mode ttl_mode request_timeout "
        "error_initial_delay error_multiplier error_max_delay max_consecutive_errors "
        "overall_timeout overall_timeout_from restart_gap requested_ttl input_request_timeout "
        "polls_while_waiting",
        "server": "poll_interval advertised_ttl advertised_anchor enforced_ttl enforced_anchor "
        "expire_running honours_requested_ttl orphan_window contact_includes execution_deadline "
        "clock_skew input_window input_state_retention",
        "network": "latency max_consecutive_failures",
        "workload": "execution human_answer",
    },
    "cancel-marker-outlives-record": {
        "client": "requested_ttl",
        "server": "advertised_ttl advertised_anchor enforced_ttl enforced_anchor expiry_action "
        "expired_terminal expire_running honours_requested_ttl sweep_period sweep_lateness "
        "clock_skew cancel_marker_retention",
        "workload": "execution works_on_after_cancel",
    },
    "abandoned-work-is-bounded": {
        "client": "requested_ttl cancel_on_abandon",
        "server": "advertised_ttl advertised_anchor enforced_ttl enforced_anchor expiry_action "
        "expire_running expiry_stops_work honours_requested_ttl sweep_period sweep_lateness "
        "orphan_window orphan_comparison execution_deadline abandoned_work_bound clock_skew",
        "network": "latency",
        "workload": "execution works_on_after_cancel",
    },
    "every-window-can-fire": {
        "client": "initial_delay multiplier max_delay min_delay jitter hint_mode ttl_mode request_timeout "
        "error_initial_delay error_multiplier error_max_delay max_consecutive_errors "
        "overall_timeout overall_timeout_from restart_gap requested_ttl",
        "server": "poll_interval advertised_ttl advertised_anchor enforced_ttl enforced_anchor "
        "expiry_action expired_terminal expire_running honours_requested_ttl sweep_period "
        "sweep_lateness sweep_order orphan_window orphan_comparison execution_deadline "
        "clock_skew lease_timeout max_attempts retry_initial_delay retry_multiplier "
        "retry_max_delay input_window input_state_retention",
        "network": "latency max_consecutive_failures",
        "workload": "execution",
    },
    "ttl-cap-suffices": {
        "client": "initial_delay multiplier max_delay min_delay jitter hint_mode ttl_mode request_timeout "
        "error_initial_delay error_multiplier error_max_delay max_consecutive_errors "
        "overall_timeout overall_timeout_from restart_gap requested_ttl",
        "server": "poll_interval advertised_ttl advertised_anchor enforced_ttl enforced_anchor "
        "expire_running honours_requested_ttl sweep_period sweep_lateness sweep_order "
        "orphan_window orphan_comparison execution_deadline clock_skew",
        "network": "latency max_consecutive_failures",
        "workload": "execution",
    },
}

PROPERTIES: Final = {
    f"{section}.{name}": tuple(one for one, reads in _READS.items() if name in reads.get(section, "").split())
    for by_section in _READS.values()
    for section, names in by_section.items()
    for name in names.split()
}
"""The properties that read a key, in the order of the catalogue, by its path."""
