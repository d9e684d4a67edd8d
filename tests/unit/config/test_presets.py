"""Presets: every number, against a table typed by hand from the published facts, in milliseconds."""

from __future__ import annotations

import json

import pytest

from latchcheck.model.config import SECTIONS, Config
from latchcheck.model.keys import BY_SPELLING
from latchcheck.model.presets import Party, Preset, every, load, names
from latchcheck.model.reading import ConfigError, read

S = 1_000
MIN = 60 * S
HOUR = 60 * MIN
DAY = 24 * HOUR

# All that a client preset says, without the section and the suffix _ms. No server is there, so no hint is known.
CLIENTS: dict[str, dict[str, object]] = {
    "fastmcp-tasks": {
        "initial_delay": 20, "multiplier": 2, "max_delay": 500, "hint_mode": "ceiling", "ttl_mode": "ignore",
        "max_consecutive_errors": 1, "cancel_on_abandon": False,
    },
    "fastmcp3": {
        "initial_delay": 500, "max_delay": 500, "hint_mode": "ignore", "overall_timeout": 300 * S,
        "overall_timeout_from": "handle", "requested_ttl": 60 * S, "max_consecutive_errors": 1,
        "cancel_on_abandon": False,
    },
    "mcp-py-1": {
        "initial_delay": 500, "max_delay": 500, "hint_mode": "replace", "requested_ttl": 60 * S,
        "max_consecutive_errors": 1, "cancel_on_abandon": False,
    },
    "mcp-ts-1": {
        "initial_delay": S, "max_delay": S, "hint_mode": "replace", "request_timeout": 60 * S,
        "input_request_timeout": 60 * S, "polls_while_waiting": False, "max_consecutive_errors": 1,
        "cancel_on_abandon": False,
    },
    "ext-tasks": {
        "initial_delay": S, "max_delay": S, "min_delay": 10, "hint_mode": "replace", "max_consecutive_errors": 2,
        "cancel_on_abandon": False,
    },
    "csharp-tasks": {
        "initial_delay": S, "max_delay": S, "hint_mode": "replace", "input_request_timeout": 60 * S,
        "polls_while_waiting": True, "max_consecutive_errors": 1, "cancel_on_abandon": False,
    },
    "tower-mcp": {
        "initial_delay": S, "min_delay": 50, "max_delay": 30 * S, "hint_mode": "clamp", "max_consecutive_errors": 1,
        "cancel_on_abandon": False,
    },
    "strands-py": {
        "initial_delay": S, "max_delay": S, "min_delay": 10, "hint_mode": "replace", "request_timeout": 60 * S,
        "overall_timeout": 300 * S, "overall_timeout_from": "call", "requested_ttl": 60 * S,
        "max_consecutive_errors": 1, "cancel_on_abandon": True,
    },
    "strands-ts": {
        "initial_delay": S, "max_delay": S, "hint_mode": "replace", "request_timeout": 60 * S,
        "input_request_timeout": 60 * S, "polls_while_waiting": False, "overall_timeout": 300 * S,
        "max_consecutive_errors": 1,
    },
    "agent-framework-py": {
        "initial_delay": 500, "min_delay": 500, "max_delay": 5 * S, "hint_mode": "clamp", "error_initial_delay": 500,
        "input_request_timeout": 0, "cancel_on_abandon": True,
    },
    "mcpjam": {
        "initial_delay": 250, "max_delay": 250, "min_delay": 250, "hint_mode": "floor", "error_initial_delay": S,
        "error_multiplier": 2, "error_max_delay": 60 * S, "max_consecutive_errors": 5, "overall_timeout": 300 * S,
        "overall_timeout_from": "handle",
    },
    "inspector": {
        "initial_delay": 500, "max_delay": 500, "hint_mode": "replace", "request_timeout": 60 * S,
        "requested_ttl": 60 * S, "max_consecutive_errors": 1, "cancel_on_abandon": False,
    },
    "anda": {
        "initial_delay": S, "min_delay": 250, "max_delay": 10 * S, "hint_mode": "clamp", "overall_timeout": 300 * S,
        "overall_timeout_from": "handle", "input_request_timeout": 0, "max_consecutive_errors": 1,
        "cancel_on_abandon": True,
    },
    "adk-rust": {"initial_delay": S, "max_delay": S, "overall_timeout": 300 * S},
    "deerflow": {
        "initial_delay": 5 * S, "max_delay": DAY, "hint_mode": "clamp", "error_initial_delay": 5 * S,
        "error_multiplier": 2, "error_max_delay": 300 * S, "polls_while_waiting": True, "cancel_on_abandon": False,
    },
    "agent-framework-dotnet": {
        "initial_delay": S, "max_delay": S, "hint_mode": "replace", "cancel_on_abandon": True,
    },
    "rmcp-example": {"initial_delay": 500, "max_delay": 500, "hint_mode": "replace"},
}  # fmt: skip

# All that a server preset says. No client is there, so no ttl is requested.
SERVERS: dict[str, dict[str, object]] = {
    "fastmcp-tasks": {
        "poll_interval": 5 * S, "advertised_ttl": 900 * S, "advertised_anchor": "creation", "enforced_ttl": 900 * S,
        "enforced_anchor": "terminal", "expiry_action": "delete", "sweep_period": 0, "orphan_window": 1_800 * S,
        "orphan_comparison": ">=", "contact_includes": ["update", "cancel"], "lease_timeout": 300 * S,
        "lease_renewal": 75 * S, "lease_sweep": 93_750, "max_attempts": 1, "cancel_marker_retention": 900 * S,
        "input_window": 3_600 * S, "input_state_retention": 900 * S,
    },
    "fastmcp3": {
        "poll_interval": 5 * S, "advertised_ttl": 60 * S, "advertised_anchor": "creation", "enforced_ttl": 1_800 * S,
        "enforced_anchor": "creation", "expiry_action": "delete", "expire_running": True, "sweep_period": 0,
        "lease_timeout": 300 * S, "lease_renewal": 75 * S, "lease_sweep": 93_750, "max_attempts": 1,
        "input_window": 3_600 * S,
    },
    "mcp-py-1": {
        "poll_interval": 500, "honours_requested_ttl": True, "advertised_ttl": "none",
        "enforced_anchor": "creation-then-terminal", "expiry_action": "delete", "expire_running": True,
        "expiry_stops_work": False, "sweep_period": "lazy", "max_attempts": 1,
    },
    "mcp-ts-1": {
        "poll_interval": S, "honours_requested_ttl": True, "advertised_ttl": "none",
        "enforced_anchor": "creation-then-terminal", "expiry_action": "delete", "expire_running": True,
        "expiry_stops_work": False, "sweep_period": 0,
    },
    "ext-tasks": {
        "advertised_ttl": "none", "enforced_anchor": "creation", "expiry_action": "delete", "expire_running": True,
        "expiry_stops_work": True, "sweep_period": 0,
    },
    "rmcp": {
        "poll_interval": S, "advertised_ttl": 300 * S, "advertised_anchor": "creation",
        "enforced_anchor": "creation-then-terminal", "expiry_action": "fail", "expired_terminal": "delete",
        "expire_running": True, "expiry_stops_work": True, "sweep_period": "lazy",
    },
    "csharp-tasks": {
        "poll_interval": S, "advertised_ttl": "none", "enforced_anchor": "creation", "expiry_action": "delete",
        "expire_running": True, "expiry_stops_work": False, "sweep_period": "lazy",
    },
    "csharp-1x": {
        "poll_interval": S, "honours_requested_ttl": True, "advertised_ttl": "none", "enforced_anchor": "creation",
        "expiry_action": "delete", "expire_running": True, "sweep_period": 60 * S,
    },
    "tower-mcp": {
        "poll_interval": 2 * S, "advertised_ttl": 300 * S, "advertised_anchor": "creation",
        "enforced_anchor": "creation", "expiry_action": "hide", "expire_running": True, "expiry_stops_work": False,
        "sweep_period": "lazy",
    },
    "quarkus-tasks": {
        "poll_interval": 5 * S, "advertised_ttl": HOUR, "advertised_anchor": "creation", "enforced_anchor": "creation",
        "expiry_action": "delete", "expire_running": True, "expiry_stops_work": True, "sweep_period": 60 * S,
    },
    "helidon-tasks": {
        "poll_interval": S, "honours_requested_ttl": True, "advertised_ttl": HOUR, "advertised_anchor": "creation",
        "enforced_anchor": "creation", "expiry_action": "delete", "expire_running": True, "expiry_stops_work": True,
        "sweep_period": 0,
    },
    "mcp-go": {
        "honours_requested_ttl": True, "advertised_ttl": "none", "enforced_anchor": "creation",
        "expiry_action": "delete", "expire_running": True, "expiry_stops_work": False, "sweep_period": 0,
    },
    "vscode": {
        "poll_interval": S, "honours_requested_ttl": True, "advertised_ttl": "none", "enforced_ttl": 60 * S,
        "enforced_anchor": "terminal", "expiry_action": "delete", "expiry_stops_work": True, "sweep_period": 0,
    },
    "sdar": {
        "poll_interval": 2 * S, "advertised_ttl": "none", "enforced_ttl": DAY, "enforced_anchor": "terminal",
        "expiry_action": "hide", "expiry_stops_work": False, "sweep_period": 60 * S, "lease_timeout": 30 * S,
        "lease_sweep": 5 * S, "idempotency_retention": 2 * DAY,
    },
    "winx-code-agent": {"enforced_ttl": 300 * S, "enforced_anchor": "terminal"},
    "rws": {"poll_interval": S, "advertised_ttl": HOUR},
    "aion": {"poll_interval": S, "advertised_ttl": "none"},
    "brain_kernel": {"poll_interval": S, "advertised_ttl": 10 * MIN},
}  # fmt: skip

PRESETS = every()
ACCOUNTED: dict[Party, str] = {
    "client": "initial_delay min_delay max_delay jitter hint_mode ttl_mode request_timeout error_initial_delay "
    "max_consecutive_errors overall_timeout requested_ttl retry_horizon input_request_timeout cancel_on_abandon",
    "server": "poll_interval advertised_ttl sweep_period orphan_window execution_deadline lease_timeout max_attempts "
    "idempotency_retention cancel_marker_retention input_window input_state_retention",
}


def stated(config: Config) -> dict[str, object]:
    """What a preset put into a configuration, by name without section and suffix."""
    return {
        name.partition(".")[2].removesuffix("_ms"): value
        for name, value in config.flat().items()
        if config.origin(name).kind == "preset"
    }


@pytest.mark.parametrize(
    ("party", "name", "expected"),
    [("client", *row) for row in CLIENTS.items()] + [("server", *row) for row in SERVERS.items()],
)
def test_a_preset_says_what_was_published(party: Party, name: str, expected: dict[str, object]) -> None:
    """A preset gives exactly the published numbers, and says nothing else."""
    assert stated(read(**{party: name})) == expected


def test_every_preset_is_in_the_table() -> None:
    """No preset escapes the table above."""
    assert set(names("client")) == set(CLIENTS)
    assert set(names("server")) == set(SERVERS)


@pytest.mark.parametrize("client", CLIENTS)
def test_every_pair_can_be_read(client: str) -> None:
    """Each client goes with each server."""
    for server in SERVERS:
        config = read(client=client, server=server)
        json.dumps(config.flat())


def test_the_pair_of_the_front_page() -> None:
    """strands-py against mcp-py-1: on the older wire it polls like poll_task, under the ttl that it asked for."""
    config = read(client="strands-py", server="mcp-py-1")
    assert config.client.initial_delay_ms == config.client.max_delay_ms == 500
    assert config.client.min_delay_ms is None
    assert config.client.cancel_on_abandon is False
    assert config.client.overall_timeout_ms == 300 * S
    assert config.advertised_ttl_ms_effective == config.enforced_ttl_ms_effective == 60 * S
    assert config.enforced_anchor_effective == "creation-then-terminal"


@pytest.mark.parametrize(
    ("client", "server", "max_delay_ms"), [("fastmcp-tasks", "fastmcp-tasks", None), ("fastmcp-tasks", "mcp-go", 500)]
)
def test_a_ceiling_that_the_hint_takes_over(client: str, server: str, max_delay_ms: int | None) -> None:
    """The FastMCP 4 client's own ceiling holds only where the server gives no hint."""
    assert read(client=client, server=server).client.max_delay_ms == max_delay_ms


@pytest.mark.parametrize(
    ("client", "server", "ttl_ms", "anchor"),
    [
        ("mcp-py-1", "vscode", 60 * S, "creation"),
        ("mcp-ts-1", "vscode", 60 * S, "terminal"),
        ("mcp-py-1", "fastmcp3", 960 * S, "creation"),
        ("mcp-ts-1", "fastmcp3", 1_800 * S, "creation"),
        ("mcp-py-1", "helidon-tasks", 60 * S, "creation"),
        ("mcp-ts-1", "helidon-tasks", HOUR, "creation"),
        ("mcp-py-1", "ext-tasks", None, "creation"),
        ("mcp-ts-1", "mcp-ts-1", None, "creation-then-terminal"),
        ("mcp-py-1", "rmcp", 300 * S, "creation-then-terminal"),
    ],
)
def test_the_ttl_depends_on_what_the_client_requests(client: str, server: str, ttl_ms: int | None, anchor: str) -> None:
    """A server that follows the request enforces another ttl with one than without."""
    config = read(client=client, server=server)
    assert config.enforced_ttl_ms_effective == ttl_ms
    assert config.enforced_anchor_effective == anchor


def test_an_option_has_the_last_word_over_a_condition() -> None:
    """A value that a preset gives on a condition yields to an option, and the condition sees the options."""
    assert read(client="fastmcp-tasks", sets=["client.max_delay=2s"]).client.max_delay_ms == 2 * S
    assert read(client="fastmcp-tasks", sets=["server.poll_interval=9s"]).client.max_delay_ms is None
    assert read(server="vscode", sets=["client.requested_ttl=1m"]).enforced_anchor_effective == "creation"


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: f"{preset.party}-{preset.id}")
def test_a_preset_says_where_each_value_was_seen(preset: Preset) -> None:
    """Each value has its place, each absence its reason, and no key is named twice."""
    assert preset.name
    assert preset.version
    assert preset.source
    assert preset.wire
    for observed in [*preset.values.values(), *(one for when in preset.when for one in when.values.values())]:
        assert observed.seen
    for name, reason in preset.none.items():
        assert (preset.party, name) in BY_SPELLING
        assert reason
    assert not set(preset.none) & set(preset.values)


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: f"{preset.party}-{preset.id}")
def test_a_preset_accounts_for_the_knobs_that_matter(preset: Preset) -> None:
    """Each knob that matters to the party is a value of the preset, or named as absent with the reason."""
    missing = set(ACCOUNTED[preset.party].split()) - set(preset.values) - set(preset.none)
    assert not missing


def test_an_absence_is_told_as_the_origin_of_the_default() -> None:
    """A knob that a product does not have stays at its default, and says so with the reason."""
    origin = read(server="mcp-py-1").origin("server.orphan_window_ms")
    assert (origin.kind, origin.where) == ("default", "mcp-py-1: none")


def test_an_absence_takes_nothing_from_the_file() -> None:
    """A knob that a product does not have by default may still be set by hand."""
    config = read(client="mcp-py-1", sets=["client.request_timeout=9s"])
    assert config.client.request_timeout_ms == 9 * S


def test_a_value_remembers_its_preset_and_place() -> None:
    """A value of a preset has the id and the place in the source as origin."""
    origin = read(server="rmcp").origin("server.poll_interval_ms")
    assert (origin.kind, origin.where) == ("preset", "rmcp (crates/rmcp/src/task_manager.rs:39,42)")


@pytest.mark.parametrize(
    ("party", "name", "instead"),
    [
        ("client", "strands", "strands-py"),
        ("client", "strands-py-server", "strands-py"),
        ("client", "mcp-go-server", "--server mcp-go"),
        ("server", "mcpjam-client", "--client mcpjam"),
        ("client", "rmcp", "--server rmcp"),
        ("server", "mcpjam", "--client mcpjam"),
        ("server", "../clients/anda", "latchcheck list presets"),
        ("client", "", "latchcheck list presets"),
    ],
)
def test_an_unknown_preset_is_told_the_nearest(party: Party, name: str, instead: str) -> None:
    """An id that no preset has is refused with the nearest one, or the other party's."""
    with pytest.raises(ConfigError) as refused:
        load(party, name)
    assert instead in str(refused.value)


@pytest.mark.parametrize(
    ("party", "name", "ident"),
    [
        ("client", "strands-py-client", "strands-py"),
        ("client", "rmcp-example-client", "rmcp-example"),
        ("server", "fastmcp-tasks-server", "fastmcp-tasks"),
        ("server", "vscode-receiver", "vscode"),
    ],
)
def test_an_id_may_name_its_party(party: Party, name: str, ident: str) -> None:
    """An id that ends in the party, as surveys of products have it, is that preset, and is told by its own id."""
    assert load(party, name) == load(party, ident)


def test_values_are_of_the_preset_s_own_party() -> None:
    """A client preset touches [client] alone, a server preset [server] alone."""
    for preset in PRESETS:
        config = read(**{preset.party: preset.id})
        touched = {name.partition(".")[0] for name in config.flat() if config.origin(name).kind == "preset"}
        assert touched == {preset.party}
        assert touched <= set(SECTIONS)
