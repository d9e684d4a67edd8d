"""What no single value shows: modes that contradict each other, and keys that need another one.

Each check reads the finished records and points at the value that was given last.
"""

from collections.abc import Mapping
from typing import Final

import attrs

from ..config import UNLIMITED, Config
from ..keys import BY_FLAT
from .durations import duration_text
from .errors import ConfigError, Faults, Where
from .sections import Given


@attrs.frozen(slots=True)
class Checked:
    """A configuration with what was given for it, by flat name."""

    config: Config
    given: Mapping[str, Given]

    def fail(self, names: tuple[str, ...], what: str, instead: str) -> None:
        """Raise the error at the last of these names that was given."""
        places = [self.given[name].where for name in names if name in self.given]
        raise ConfigError(what, places[0] if places else Where("configuration"), instead)

    def stated(self, name: str) -> bool:
        """Whether somebody gave this value, and other than its default."""
        return name in self.given and self.given[name].value != BY_FLAT[name].default

    def written(self, name: str) -> bool:
        """Whether a person wrote this value for this configuration."""
        return name in self.given and self.given[name].written


def check(config: Config, given: Mapping[str, Given]) -> None:
    """Raise ConfigError, for all there is, where values contradict each other, or one needs one that is missing."""
    checked, faults = Checked(config, given), Faults()
    for needs in _NEEDS:
        with faults.kept():
            _needed(checked, *needs)
    for one in (
        _floor_above_ceiling,
        _ttl_that_never_is,
        _terminal_expiry_of_running,
        _kept_though_deleted,
        _lazy_sweeps,
    ):
        with faults.kept():
            one(checked)
    faults.told()


# the key given, the key it needs, an example of that, and what the one is without the other
_NEEDS: Final = (
    ("client.multiplier", "client.initial_delay_ms", "1s", "has nothing to multiply"),
    ("client.jitter", "client.initial_delay_ms", "1s", "has nothing to jitter"),
    ("client.error_multiplier", "client.error_initial_delay_ms", "1s", "has nothing to multiply"),
    ("client.error_max_delay_ms", "client.error_initial_delay_ms", "1s", "is the ceiling of nothing"),
    ("server.retry_multiplier", "server.retry_initial_delay_ms", "1s", "has nothing to multiply"),
    ("server.retry_max_delay_ms", "server.retry_initial_delay_ms", "1s", "is the ceiling of nothing"),
    ("client.overall_timeout_from", "client.overall_timeout_ms", "5m", "has no limit to count"),
    (
        "network.max_consecutive_failures",
        "client.request_timeout_ms",
        "30s",
        "allows failed polls, but nothing says when the client notices one: the configuration is incomplete",
    ),
)


def _needed(checked: Checked, name: str, needed: str, example: str, why: str) -> None:
    if checked.stated(name) and checked.config.value(needed) is None:
        key = BY_FLAT[needed]
        checked.fail(
            (name,), why, f'add {key.name} = "{example}" below [{key.section}], or leave {BY_FLAT[name].name} out'
        )


def _floor_above_ceiling(checked: Checked) -> None:
    client = checked.config.client
    if client.hint_mode == "clamp" and client.max_delay_ms is None:
        checked.fail(("client.hint_mode",), "clamp has no upper end", 'add max_delay = "30s" below [client]')
    low, high = client.min_delay_ms, client.max_delay_ms
    if low is not None and high is not None and low > high:
        checked.fail(
            ("client.min_delay_ms", "client.max_delay_ms"),
            f"min_delay {duration_text(low)} is above max_delay {duration_text(high)}",
            f'write min_delay = "{duration_text(high)}" and max_delay = "{duration_text(low)}", or drop one',
        )


def _ttl_that_never_is(checked: Checked) -> None:
    client, server = checked.config.client, checked.config.server
    names = ("client.ttl_mode", "server.advertised_ttl_ms")
    if (
        client.ttl_mode == "ignore"
        or not checked.written(names[0])
        or checked.config.advertised_ttl_ms_effective is not None
    ):
        return
    if server.advertised_ttl_ms is not UNLIMITED:
        why = "nothing gives an advertised_ttl: the configuration is incomplete"
    elif checked.written(names[1]):
        why = 'advertised_ttl is "none"'
    else:
        return  # a product or a reply says so: the client's mode is then known not to act
    checked.fail(
        names,
        f'ttl_mode "{client.ttl_mode}" needs a ttl, and {why}',
        'write ttl_mode = "ignore", or a duration for advertised_ttl below [server]',
    )


def _terminal_expiry_of_running(checked: Checked) -> None:
    if (
        checked.written("server.expire_running")
        and checked.config.server.expire_running
        and checked.config.enforced_anchor_effective == "terminal"
    ):
        checked.fail(
            ("server.expire_running",),
            "a ttl that counts from the terminal write never expires a running task",
            "write expire_running = false, or another enforced_anchor",
        )


def _kept_though_deleted(checked: Checked) -> None:
    server = checked.config.server
    if server.expired_terminal == "keep" and server.expiry_action in ("delete", "hide"):
        checked.fail(
            ("server.expired_terminal", "server.expiry_action"),
            f'expired_terminal "keep" contradicts expiry_action "{server.expiry_action}"',
            'write expiry_action = "fail" or "cancel", or leave expired_terminal out',
        )


def _lazy_sweeps(checked: Checked) -> None:
    server = checked.config.server
    if server.sweep_period_ms == "lazy" and server.sweep_lateness_ms:
        checked.fail(
            ("server.sweep_lateness_ms", "server.sweep_period_ms"),
            "a lazy server has no sweeps that could be late",
            "leave sweep_lateness out, or write a duration for sweep_period",
        )
