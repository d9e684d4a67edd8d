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
from .timing import telling, theorems, verify

__all__ = [
    "assumption_groups",
    "explain_keys",
    "explain_property",
    "explain_setting",
    "exploration_plan",
    "fixture_case",
    "fuzz_lifecycle",
    "generate_fixtures",
    "is_bad_input",
    "is_named_scope",
    "key_rows",
    "lifecycle_ids",
    "lifecycle_rows",
    "lifecycle_system",
    "load_fixture",
    "minimise_fixture",
    "nearest_keys",
    "picture_steps",
    "pictures",
    "preset_rows",
    "property_ids",
    "property_rows",
    "read_config",
    "recompute",
    "reducer",
    "replay_fixture",
    "saved_fixtures",
    "table_steps",
    "telling",
    "theorems",
    "timed_fixture",
    "verify",
]
