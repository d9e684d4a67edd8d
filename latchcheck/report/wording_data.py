"""What the wording tools found as plain data: the JSON of `latchcheck wording`, docs/reference/wording.schema.json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .envelope import plain, versions

if TYPE_CHECKING:
    from latchcheck.kernel import Trace
    from latchcheck.wording.checking import Checked
    from latchcheck.wording.files import Document, Reading
    from latchcheck.wording.killing import Row
    from latchcheck.wording.neighbours import Beside
    from latchcheck.wording.reaching import Reach
    from latchcheck.wording.relations import Difference
    from latchcheck.wording.separating import Split
    from latchcheck.wording.why import Why
    from latchcheck.wording.words import Vocabulary


def head(schema: str) -> dict[str, Any]:
    """The beginning of every envelope."""
    return {"schema": f"latchcheck/{schema}/1", "versions": dict(versions())}


def document(found: Document) -> dict[str, Any]:
    """A property file."""
    sentence = {"text": found.sentence, "source": found.source, "where": found.where}
    named = {"file": found.file, "id": found.id, "keyword": found.keyword, "model": found.model, "sentence": sentence}
    asked = {"question": found.question, "cases": list(found.cases), "outside": found.outside}
    return named | asked


def reading(one: Reading) -> dict[str, Any]:
    """One reading."""
    return {
        "name": one.name,
        "keyword": one.keyword,
        "text": str(one.sentence),
        "assuming": list(one.assumptions),
        "products": list(one.products),
    }


def run(trace: Trace | None) -> list[dict[str, Any]] | None:
    """A run, step by step, with every change."""
    if trace is None:
        return None
    return [
        {
            "at_ms": None if step.at_ms is None else plain(step.at_ms),
            "party": step.party,
            "action": step.action,
            "args": plain(step.args),
            "changed": {name: [plain(old), plain(new)] for name, (old, new) in step.changed.items()},
        }
        for step in trace
    ]


def vocabulary(vocabularies: Mapping[str, Vocabulary], examples: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    """Every form of a sentence with an example, where there are examples, and every word of some vocabularies."""
    from latchcheck.wording.grammar import SIGNS
    from latchcheck.wording.language import SCOPES, TEMPLATES

    forms = [
        {"kind": kind, "form": form, "meaning": meaning, "model": examples[name][0], "example": examples[name][1]}
        for kind, table in (("scope", SCOPES), ("pattern", TEMPLATES))
        for name, (form, meaning) in table.items()
        if name in examples
    ]
    words = [
        {"model": name, "phrase": word.phrase, "kind": word.kind, "unit": word.unit, "meaning": word.meaning}
        for name, one in vocabularies.items()
        for word in one.words.values()
    ]
    return head("wording-vocabulary") | {"forms": forms, "comparisons": list(SIGNS), "words": words, "exit": 0}


def following(text: str, model: str, found: Sequence[str]) -> dict[str, Any]:
    """What may stand after the beginning of a reading."""
    return head("wording-next") | {"model": model, "text": text, "next": list(found), "exit": 0}


def drafted(file: str | None, model: str, text: str) -> dict[str, Any]:
    """A property file to begin with, and where it is written, if anywhere."""
    return head("wording-new") | {"model": model, "file": file, "text": text, "exit": 0}


def checked(found: Sequence[tuple[Document, Sequence[Checked], Beside | None]], exit_code: int) -> dict[str, Any]:
    """The answers to `check`, and how far each file was compared with files that were not checked."""
    files = [
        document(one) | {"readings": [_checked(each) for each in many], "compared": _beside(how_far)}
        for one, many, how_far in found
    ]
    return head("wording-check") | {"files": files, "exit": exit_code}


def _general(found: Reach | None) -> dict[str, Any] | None:
    if found is None:
        return None
    conditions = [{"text": text, "broken_at": where} for text, where in found.conditions]
    return {"shown": found.shown, "conditions": conditions, "fixed": list(found.fixed)}


def _beside(found: Beside | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "places": list(found.places),
        "seconds_max": found.seconds,
        "with": [{"file": one.file, "reading": one.name} for one in found.met],
        "not_reached": [{"file": one.file, "reading": one.name} for one in found.unmet],
        "left_out": [{"file": file, "why": why} for file, why in found.left_out],
    }


def _checked(one: Checked) -> dict[str, Any]:
    judged, consequence = one.judged, one.consequence
    return reading(one.reading) | {
        "verdict": judged.verdict,
        "evidence": one.evidence,
        "reason": one.fault or judged.reason,
        "trivial": one.trivial,
        "run": run(judged.trace),
        "repeats_after": judged.loop,
        "until_ms": plain(judged.until_ms),
        "stops": judged.stops,
        "implied_by": list(one.implied_by),
        "contradicts": list(one.contradicts),
        "detects": [{"fault": name, "steps": steps} for name, steps in one.caught],
        "misses": [{"fault": name, "detected_by": list(others)} for name, others in one.missed],
        "unmoved": one.unmoved,
        "given_up": list(one.given_up),
        "invariant": list(one.invariant),
        "general": _general(one.general),
        "elsewhere": [{"model": name, "verdict": verdict} for name, verdict in one.elsewhere],
        "consequence": None
        if consequence is None
        else {"model": consequence.world, "run": run(consequence.trace), "breaks": consequence.breaks},
    }


def difference(pairs: Sequence[tuple[str, str, Reading, Reading, Difference]], exit_code: int) -> dict[str, Any]:
    """The answers to `diff`."""
    rows = [
        {
            "a": reading(a) | {"name": name_a},
            "b": reading(b) | {"name": name_b},
            "relation": found.relation,
            "basis": found.basis,
            "cause": None if found.cause is None else {"a": found.cause[0], "b": found.cause[1]},
            "runs": [_split(one) for one in found.splits],
            "models": list(found.worlds),
            "given_up": list(found.given_up),
            "proved": list(found.proved),
        }
        for name_a, name_b, a, b, found in pairs
    ]
    return head("wording-diff") | {"pairs": rows, "exit": exit_code}


def _split(one: Split) -> dict[str, Any]:
    return {
        "model": one.world,
        "obeys": one.obeys,
        "breaks": one.breaks,
        "run": run(one.trace),
        "repeats_after": one.loop,
        "until_ms": plain(one.until_ms),
        "stops": one.stops,
    }


def killed(found: Document, rows: Sequence[tuple[Reading, Sequence[Row]]], exit_code: int) -> dict[str, Any]:
    """The answers to `kill`."""
    readings = [
        reading(one)
        | {
            "mutants": [
                {
                    "change": row.slip.what,
                    "keyword": row.slip.reading.keyword,
                    "text": str(row.slip.reading.sentence),
                    "assuming": list(row.slip.reading.assumptions),
                    "fate": row.fate,
                    "relation": row.relation,
                    "basis": row.basis,
                    "run": None if row.split is None else _split(row.split),
                }
                for row in many
            ]
        }
        for one, many in rows
    ]
    return head("wording-kill") | document(found) | {"readings": readings, "exit": exit_code}


def explained(found: Document, answers: Sequence[Why], exit_code: int) -> dict[str, Any]:
    """The answers to `why`."""
    rows = [
        reading(one.reading)
        | {
            "verdict": one.verdict,
            "reason": one.reason,
            "lemmas": list(one.lemmas),
            "obligations": one.obligations,
            "steps": [name for name, _ in one.steps],
            "needed": [
                {"action": ground.action, "clause": ground.clause, "run_without": run(ground.broken)}
                for ground in one.needed
            ],
            "unneeded": [{"action": action, "clause": clause} for action, clause in one.unneeded],
            "sentences": [{"text": s.text, "source": s.source, "where": s.where} for s in one.sentences],
            "assumptions": [{"text": text, "needed": needed} for text, needed in one.assumptions],
            "general": _general(one.general),
        }
        for one in answers
    ]
    return head("wording-why") | document(found) | {"readings": rows, "exit": exit_code}
