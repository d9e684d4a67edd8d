"""The words of MCP Tasks and the models that sentences are tried on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from latchcheck.wording.files import Document
    from latchcheck.wording.words import Model, Vocabulary


def wording_vocabularies() -> Mapping[str, Vocabulary]:
    """Each vocabulary by the name of its model."""
    from latchcheck.properties.wording.models import vocabularies

    return vocabularies()


def wording_examples() -> Mapping[str, tuple[str, str]]:
    """By the kind of a scope or of a pattern: a model, and a reading of it."""
    from latchcheck.properties.wording.examples import EXAMPLES

    return EXAMPLES


def wording_document(file: str) -> Document:
    """Read a property file. Raises WordingError, for which `is_bad_input` is true."""
    from latchcheck.wording.files import load

    return load(file, wording_vocabularies())


def wording_model(document: Document) -> Model:
    """The model that a property file speaks about; errors for which `is_bad_input` is true."""
    from latchcheck.properties.wording.models import model

    return model(document.model, scope=document.scope, policy=document.policy, sets=document.sets, also=document.also)
