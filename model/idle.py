"""Keys that cannot matter in a configuration, because what they would act on is not there.

A verdict names the assumptions it rests on, and an idle key is none: another value of it changes no answer.
"""

from collections.abc import Callable
from typing import Final

from .config import Config


def idle(config: Config) -> frozenset[str]:
    """Return the flat names of the keys that cannot matter here."""
    return frozenset(key for applies, keys in _RULES if applies(config) for key in keys)


def _no_failures(config: Config) -> bool:
    return config.network.max_consecutive_failures == 0


def _no_error_delay(config: Config) -> bool:
    return config.client.error_initial_delay_ms is None


def _hint_decides(config: Config) -> bool:
    return config.server.poll_interval_ms is not None and config.client.hint_mode in ("replace", "clamp")


def _no_own_delay(config: Config) -> bool:
    return config.client.initial_delay_ms is None and config.client.max_delay_ms is None


def _nobody_polls(config: Config) -> bool:
    return _no_own_delay(config) and _no_hint(config)


def _no_hint(config: Config) -> bool:
    return config.server.poll_interval_ms is None


def _no_overall_timeout(config: Config) -> bool:
    return config.client.overall_timeout_ms is None


def _nothing_told(config: Config) -> bool:
    return config.advertised_ttl_ms_effective is None


def _anchor_unread(config: Config) -> bool:
    return _nothing_told(config) and (_nothing_expires(config) or config.server.enforced_anchor is not None)


def _nothing_expires(config: Config) -> bool:
    return config.enforced_ttl_ms_effective is None


def _running_never_expires(config: Config) -> bool:
    return config.enforced_anchor_effective == "terminal" or not config.server.expire_running


def _expiry_removes(config: Config) -> bool:
    return config.server.expiry_action in ("hide", "delete")


def _contacts_unread(config: Config) -> bool:
    return config.server.orphan_window_ms is None and config.enforced_anchor_effective != "activity"


def _limits(config: Config) -> int:
    server = config.server
    found = (server.orphan_window_ms, server.execution_deadline_ms, config.enforced_ttl_ms_effective)
    return sum(limit is not None for limit in found)


_RULES: Final[tuple[tuple[Callable[[Config], bool], tuple[str, ...]], ...]] = (
    (
        _no_failures,
        (
            "client.request_timeout_ms",
            "client.error_initial_delay_ms",
            "client.error_multiplier",
            "client.error_max_delay_ms",
            "client.max_consecutive_errors",
        ),
    ),
    (_no_error_delay, ("client.error_multiplier", "client.error_max_delay_ms")),
    (_no_own_delay, ("client.multiplier", "client.jitter")),
    (_nobody_polls, ("network.max_consecutive_failures",)),
    (_hint_decides, ("client.multiplier", "client.jitter")),
    (_no_hint, ("client.hint_mode",)),
    (_no_overall_timeout, ("client.overall_timeout_from",)),
    (_nothing_told, ("client.ttl_mode",)),
    (_anchor_unread, ("server.advertised_anchor",)),
    (
        _nothing_expires,
        (
            "server.enforced_anchor",
            "server.expiry_action",
            "server.expired_terminal",
            "server.expire_running",
            "server.expiry_stops_work",
        ),
    ),
    (_running_never_expires, ("server.expiry_stops_work",)),
    (_expiry_removes, ("server.expired_terminal",)),
    (lambda config: config.enforced_anchor_effective == "terminal", ("server.expire_running",)),
    (lambda config: not config.server.honours_requested_ttl, ("client.requested_ttl_ms",)),
    (lambda config: config.client.requested_ttl_ms is None, ("server.honours_requested_ttl",)),
    (_contacts_unread, ("server.contact_includes",)),
    (lambda config: config.server.orphan_window_ms is None, ("server.orphan_comparison",)),
    (lambda config: not isinstance(config.server.sweep_period_ms, int), ("server.sweep_lateness_ms",)),
    (lambda config: _limits(config) <= 1, ("server.sweep_order",)),
    (lambda config: _limits(config) == 0, ("server.sweep_period_ms", "server.sweep_lateness_ms")),
    (lambda config: config.workload.human_answer_ms is None, ("client.polls_while_waiting",)),
    (lambda config: not config.server.retry_initial_delay_ms, ("server.retry_multiplier", "server.retry_max_delay_ms")),
)
"""When which keys are idle; a key may be idle for several reasons."""
