"""The one place where the command line meets MCP: the checker imports the model and the properties here only.

A file a topic; what the verbs call is here by name.
"""

from __future__ import annotations

from .admission import admission_theorems, decide_packets
from .catalogues import (
    explain_property,
    explain_setting,
    lifecycle_ids,
    lifecycle_rows,
    property_ids,
    property_keyword,
    property_rows,
)
from .configurations import (
    all_read,
    assumption_groups,
    check_laid_over,
    combinations,
    config_reader,
    explain_keys,
    is_bad_input,
    key_rows,
    nearest_keys,
    preset_ids,
    preset_rows,
    read_config,
    toml_line,
)
from .copying import Exists, copied_fixtures
from .fixtures import fixture_case, fixture_path, load_fixture, minimise_fixture, replay_fixture, saved_fixtures
from .hints import with_hints
from .lifecycle import (
    exploration_plan,
    is_named_scope,
    lifecycle_receivers,
    lifecycle_system,
    lifecycle_telling,
    reducer,
)
from .locksteps import ready_target, run_lockstep, save_divergence
from .numbers import changed_file, keys_meant, milliseconds_of, range_of, region_of, region_of_two, repairs_together
from .races import (
    LEVELS,
    STORES,
    NotReady,
    kill_store,
    operation_row,
    race_fixture,
    race_store,
    story_names,
    write_fixture,
)
from .sampling import ask_lifecycle, ask_timed, draw, hit_of, try_saved
from .saving import CutShort, generate_fixtures, save_hits, save_witnesses, timed_fixture
from .study import picture_steps, pictures, recompute, table_steps
from .targets import check_target, install_target, open_target, replay_on_target, target_rows
from .timing import telling, theorems, verify
from .transport import measure_transport, transport_steps
from .wording import wording_beside, wording_document, wording_examples, wording_model, wording_vocabularies
from .words import fixture_telling

__all__ = [
    "LEVELS",
    "STORES",
    "CutShort",
    "Exists",
    "NotReady",
    "admission_theorems",
    "all_read",
    "ask_lifecycle",
    "ask_timed",
    "assumption_groups",
    "changed_file",
    "check_laid_over",
    "check_target",
    "combinations",
    "config_reader",
    "copied_fixtures",
    "decide_packets",
    "draw",
    "explain_keys",
    "explain_property",
    "explain_setting",
    "exploration_plan",
    "fixture_case",
    "fixture_path",
    "fixture_telling",
    "generate_fixtures",
    "hit_of",
    "install_target",
    "is_bad_input",
    "is_named_scope",
    "key_rows",
    "keys_meant",
    "kill_store",
    "lifecycle_ids",
    "lifecycle_receivers",
    "lifecycle_rows",
    "lifecycle_system",
    "lifecycle_telling",
    "load_fixture",
    "measure_transport",
    "milliseconds_of",
    "minimise_fixture",
    "nearest_keys",
    "open_target",
    "operation_row",
    "picture_steps",
    "pictures",
    "preset_ids",
    "preset_rows",
    "property_ids",
    "property_keyword",
    "property_rows",
    "race_fixture",
    "race_store",
    "range_of",
    "read_config",
    "ready_target",
    "recompute",
    "reducer",
    "region_of",
    "region_of_two",
    "repairs_together",
    "replay_fixture",
    "replay_on_target",
    "run_lockstep",
    "save_divergence",
    "save_hits",
    "save_witnesses",
    "saved_fixtures",
    "story_names",
    "table_steps",
    "target_rows",
    "telling",
    "theorems",
    "timed_fixture",
    "toml_line",
    "transport_steps",
    "try_saved",
    "verify",
    "with_hints",
    "wording_beside",
    "wording_document",
    "wording_examples",
    "wording_model",
    "wording_vocabularies",
    "write_fixture",
]
