"""What there is to ask: the properties, the switches and the sizes, as rows of plain data."""

from __future__ import annotations

from collections.abc import Callable


def property_ids() -> tuple[str, ...]:
    """The ids of the timing properties, in the order in which they are answered."""
    from latchcheck.properties.timing import CATALOGUE

    return tuple(CATALOGUE)


def lifecycle_ids() -> tuple[str, ...]:
    """The ids of the lifecycle properties, in their order."""
    from latchcheck.properties.lifecycle.catalogue import CATALOGUE

    return tuple(CATALOGUE)


def explain_property(name: str) -> dict[str, object] | None:
    """What a property claims, where that is said, when it holds, and the keys it reads; None where there is none."""
    from latchcheck.model.describe import key_rows
    from latchcheck.properties.timing import CATALOGUE
    from latchcheck.properties.timing.analyses import ANALYSES

    found = CATALOGUE.get(name)
    if found is None:
        from latchcheck.properties.lifecycle.describing import explained as explained_lifecycle

        return explained_lifecycle(name)
    return {
        "sentence": found.sentence.text,
        "keyword": found.keyword,
        "source": f"{found.sentence.source}, {found.sentence.where}",
        "condition": _condition(ANALYSES[name]) if name in ANALYSES else None,
        "reads": [row["key"] for row in key_rows() if name in _listed(row["properties"])],
    }


def property_keyword(name: str) -> str | None:
    """MUST, SHOULD or MAY of a property; None where there is none of that id."""
    from latchcheck.properties.lifecycle.catalogue import CATALOGUE as LIFECYCLE
    from latchcheck.properties.timing import CATALOGUE

    found = CATALOGUE.get(name) or LIFECYCLE.get(name)
    return None if found is None else found.keyword


def property_rows() -> list[dict[str, object]]:
    """Every property as a row of plain data: those of `verify` first, then those of `explore`, each in its order."""
    from latchcheck.properties.lifecycle.describing import property_rows as lifecycle_rows
    from latchcheck.properties.timing import CATALOGUE

    timing: list[dict[str, object]] = [
        {
            "id": one.id,
            "keyword": one.keyword,
            "sentence": one.sentence.text,
            "source": f"{one.sentence.source}, {one.sentence.where}",
        }
        for one in CATALOGUE.values()
    ]
    return [{**row, "verb": "verify"} for row in timing] + [{**row, "verb": "explore"} for row in lifecycle_rows()]


def explain_setting(name: str) -> dict[str, object] | None:
    """A switch of a policy or a size of a scope as a row of plain data; None where there is none."""
    from latchcheck.properties.lifecycle.describing import explained_setting

    return explained_setting(name)


def lifecycle_rows(what: str) -> list[dict[str, object]]:
    """The `policies` (switches), `scopes` (sizes) or `mutants` of the lifecycle model as rows of plain data."""
    from latchcheck.properties.lifecycle import describing

    rows = {"policies": describing.switch_rows, "scopes": describing.scope_rows, "mutants": describing.mutant_rows}
    return rows[what]()


def _condition(analysis: Callable[..., object]) -> str | None:
    """The condition in words: what stands below the first paragraph of the analysis, else of its module."""
    import inspect
    import sys

    for documented in (analysis, sys.modules[analysis.__module__]):
        _, _, body = (inspect.getdoc(documented) or "").partition("\n\n")
        if body:
            return " ".join(body.replace("`", "").split())
    return None


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []
