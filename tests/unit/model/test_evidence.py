"""Failures by code and text, and the class that follows, against the rules of the paper's section 4.1 by hand."""

from __future__ import annotations

from itertools import product

import pytest

from latchcheck.model.evidence import Markers, classified, kind_of


@pytest.mark.parametrize(
    ("text", "code", "kind"),
    [
        ("Connection reset by peer", None, "transient"),
        ("RATE LIMIT exceeded", None, "transient"),
        ("invalid connection reset", None, "permanent"),
        ("the disk is on fire", None, "unrecognised"),
        ("", None, "unrecognised"),
        ("", 503, "transient"),
        ("", 404, "permanent"),
        ("", 418, "unrecognised"),
        ("not found", 503, "transient"),
        ("timed out", 400, "permanent"),
        ("timed out", 418, "transient"),
    ],
)
def test_a_known_code_decides_before_the_text(text: str, code: int | None, kind: str) -> None:
    """A known code decides; else a permanent marker does, then a transient one, whatever the case of the letters."""
    assert kind == kind_of(text, code=code)


@pytest.mark.parametrize(
    ("text", "default", "attempt", "expected"),
    [
        ("timed out", "permanent", 1, "transient"),
        ("timed out", "permanent", 2, "transient"),
        ("timed out", "permanent", 3, "poison"),
        ("timed out", "permanent", 9, "poison"),
        ("forbidden", "transient", 1, "permanent"),
        ("forbidden", "transient", 3, "permanent"),
        ("what", "permanent", 1, "permanent"),
        ("what", "permanent", 3, "permanent"),
        ("what", "transient", 1, "transient"),
        ("what", "transient", 3, "poison"),
    ],
)
def test_the_ceiling_overrides_all_that_is_retryable(text: str, default: str, attempt: int, expected: str) -> None:
    """Of three attempts the third failure is poison where it would have been retried, and permanent where not."""
    assert expected == classified(text, attempt=attempt, ceiling=3, default=default)


def test_nothing_is_transient_at_the_ceiling() -> None:
    """Whatever is known of a failure, no attempt follows the last one."""
    texts, codes = ("timed out", "forbidden", "what"), (None, 503, 404, 418)
    for text, code, default, ceiling in product(texts, codes, ("permanent", "transient"), (1, 2, 5)):
        assert classified(text, code=code, default=default, attempt=ceiling, ceiling=ceiling) != "transient"


def test_a_deployment_names_its_own_markers() -> None:
    """What was unrecognised is retried once it is named."""
    named = Markers(transient_words=("flux",))
    assert "permanent" == classified("flux pending", attempt=1, ceiling=3)
    assert "transient" == classified("flux pending", attempt=1, ceiling=3, markers=named)


@pytest.mark.parametrize(
    "wrong", [{"default": "poison"}, {"attempt": 0}, {"ceiling": 0}], ids=["default", "attempt", "ceiling"]
)
def test_what_makes_no_sense_is_refused(wrong: dict[str, object]) -> None:
    """Another default, and an attempt or a ceiling below one, are errors."""
    given = {"attempt": 1, "ceiling": 3, **wrong}
    with pytest.raises(ValueError, match=r"default is|count from 1"):
        classified("what", **given)  # type: ignore[arg-type]


def test_a_marker_of_both_classes_is_refused() -> None:
    """A word that is transient and permanent would be neither."""
    with pytest.raises(ValueError, match="flux is transient and permanent"):
        Markers(transient_words=("flux",), permanent_words=("flux",))
