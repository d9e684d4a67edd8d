"""The one place where the command line meets MCP: the checker imports the model and the properties here only.

A file a topic; what the verbs call is here by name.
"""

from __future__ import annotations

from .catalogues import explain_property, explain_setting, lifecycle_ids, lifecycle_rows, property_ids, property_rows
from .configurations import (
    assumption_groups,
    explain_keys,
    is_bad_input,
    key_rows,
    nearest_keys,
    preset_rows,
    read_config,
)
from .fixtures import fixture_case, load_fixture, minimise_fixture, replay_fixture, saved_fixtures
from .lifecycle import exploration_plan, fuzz_lifecycle, is_named_scope, lifecycle_system, reducer
from .saving import generate_fixtures, timed_fixture
from .study import picture_steps, pictures, recompute, table_steps
from .targets import check_target, install_target, open_target, replay_on_target, target_rows
from .timing import telling, theorems, verify
from .transport import measure_transport, transport_steps
from .words import fixture_telling

__all__ = [
    "assumption_groups",
    "check_target",
    "explain_keys",
    "explain_property",
    "explain_setting",
    "exploration_plan",
    "fixture_case",
    "fixture_telling",
    "fuzz_lifecycle",
    "generate_fixtures",
    "install_target",
    "is_bad_input",
    "is_named_scope",
    "key_rows",
    "lifecycle_ids",
    "lifecycle_rows",
    "lifecycle_system",
    "load_fixture",
    "measure_transport",
    "minimise_fixture",
    "nearest_keys",
    "open_target",
    "picture_steps",
    "pictures",
    "preset_rows",
    "property_ids",
    "property_rows",
    "read_config",
    "recompute",
    "reducer",
    "replay_fixture",
    "replay_on_target",
    "saved_fixtures",
    "table_steps",
    "target_rows",
    "telling",
    "theorems",
    "timed_fixture",
    "transport_steps",
    "verify",
]
