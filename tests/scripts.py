"""Scripts of the documentation, which no package holds, as modules that tests can ask."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType


def script(path: Path) -> ModuleType:
    """The script at this place, run as a module that is not the main one. Raises what it raises."""
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
