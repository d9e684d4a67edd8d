"""The normative sentences of the specification, as rows of plain data."""

from __future__ import annotations


def sentence_rows(
    *, era: str | None, keyword: str | None, role: str | None, link: str | None, excluded: bool
) -> list[dict[str, object]]:
    """The sentences that pass every filter, in the order of their documents."""
    import attrs

    from latchcheck.properties.sentences import chosen

    found = chosen(era=era, keyword=keyword, role=role, link=link, excluded=excluded)
    return [{**attrs.asdict(one), "links": list(one.links)} for one in found]
