"""What the wording tools found, as people read it; this form may change, the JSON form is the contract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from latchcheck.kernel.errors import show
from latchcheck.kernel.telling import moments

from .layout import columns, wrap

if TYPE_CHECKING:
    from latchcheck.kernel import Trace
    from latchcheck.wording.checking import Checked
    from latchcheck.wording.files import Document, Reading
    from latchcheck.wording.killing import Row
    from latchcheck.wording.neighbours import Beside, Other
    from latchcheck.wording.relations import Difference
    from latchcheck.wording.separating import Split
    from latchcheck.wording.why import Why
    from latchcheck.wording.words import Shown, Vocabulary

PROVED_OVER = "by wording for every model, or in each of these models at its numbers (the JSON form says which)"
ROWS_MAX = 40
NAMES_MAX = 8


def _facts(facts: Sequence[tuple[str, str]], width: int) -> list[str]:
    kept = [(label, text) for label, text in facts if text]
    return columns(kept, align="<w", width=width) if kept else []


def told(
    trace: Trace,
    shown: Shown,
    *,
    loop: int | None = None,
    stops: bool = False,
    until_ms: Any = None,
    roundabout: bool = False,
) -> list[str]:
    """A run, one line a step."""
    rows = []
    for at, moment in enumerate(moments(trace), 1):
        step = moment.step
        say = shown.telling.phrases.get(step.action)
        args = ", ".join(f"{name}={show(value)}" for name, value in step.args.items())
        changes = (shown.change(name, show(old), new if isinstance(new, bool) else show(new))
                   for name, (old, new) in step.changed.items())  # fmt: skip
        changed = ", ".join(one for one in changes if one is not None)
        when = "" if step.at_ms is None else f"{show(step.at_ms)} ms  "
        words = f"{step.action}({args})" if say is None else say(moment)
        rows.append(f"  {at:>3}  {when}{step.party:7} {words}" + (f"  [{changed}]" if changed else ""))
    if len(rows) > ROWS_MAX:
        rows = [
            *rows[:10],
            f"       ... {len(rows) - ROWS_MAX} more steps; the JSON form has them all",
            *rows[10 - ROWS_MAX :],
        ]
    if not rows:
        rows = ["       (at the start, before any step)"]
    if stops:
        rows.append("       and the run stops here: nothing that must happen is left")
    elif loop is not None:
        rows.append(f"       and from step {loop + 1} on it repeats for ever" + roundabout * " (a shorter loop may do)")
    elif until_ms is not None:
        rows.append(f"       and until {show(until_ms)} ms nothing more happens")
    return rows


def _reading(one: Reading) -> list[tuple[str, str]]:
    facts = [(one.keyword, str(one.sentence)), ("assuming", "; ".join(one.assumptions)), ("note", one.note)]
    return [*facts, *(("implemented by", product) for product in one.products)]


def vocabulary(vocabularies: Mapping[str, Vocabulary], examples: Mapping[str, tuple[str, str]], width: int) -> str:
    """Every form of a sentence with an example, where there are examples, then every word, by model and kind."""
    lines = _forms(examples, width) if examples else []
    for name, one in vocabularies.items():
        for kind in ("state", "event", "quantity", "assumption"):
            rows = [(word.phrase, word.meaning) for word in one.words.values() if word.kind == kind]
            if rows:
                lines += [f"{name}, {kind}:", *columns(rows, align="<w", width=width), ""]
    return "\n".join(lines)


def _forms(examples: Mapping[str, tuple[str, str]], width: int) -> list[str]:
    from latchcheck.wording.grammar import SIGNS
    from latchcheck.wording.language import SCOPES, TEMPLATES

    lines = wrap("A reading is a scope, a comma, and a pattern. P, Q, R and S are conditions: words of kind state or "
                 "event, or comparisons, joined with not, and, or, and parentheses.", width)  # fmt: skip
    for title, table in (("scopes", SCOPES), ("patterns", TEMPLATES)):
        lines += ["", f"{title}:"]
        for kind, (form, meaning) in table.items():
            lines += columns([(form, meaning)], align="<w", width=width)
            lines += [f"    {line}" for line in wrap(f"example: {examples[kind][1]}", width - 4)]
    bound = "within 5ms (where the model has a clock) or within 3 steps may follow what comes eventually"
    return [*lines, "", *columns([("how soon", bound), ("comparisons", ", ".join(SIGNS))], align="<w", width=width), ""]


def checked(
    found: Sequence[tuple[Document, Sequence[Checked], Beside | None]], shown: Sequence[Shown], width: int
) -> str:
    """The answers to `check`; `shown` says for each file how its runs are told."""
    lines: list[str] = []
    for (document, many, how_far), telling in zip(found, shown, strict=True):
        lines += [*wrap(f"{document.id} ({document.file})", width)]
        named = [("sentence", document.sentence), ("source", _source(document))]
        lines += _facts([*named, ("question", document.question), ("outside", document.outside)], width)
        for one in many:
            lines += ["", *_checked(one, telling, width)]
        lines += ["", *_beside(how_far, width), ""] if how_far is not None else [""]
    return "\n".join(lines).rstrip("\n") + "\n"


def _beside(found: Beside, width: int) -> list[str]:
    """With what the readings were compared, and with what not."""
    places = ", ".join(found.places)
    met = f"{_many(found.met)} in {places}" if found.met else f"nothing: no other reading was compared in {places}"
    unmet = f"{_many(found.unmet)}, in {found.seconds:g} s (--seconds N): {_files(found.unmet)}" if found.unmet else ""
    left_out = [f"{file} ({why})" for file, why in found.left_out]
    return _facts([("compared with", met), ("not reached", unmet), ("left out", _names(left_out))], width)


def _many(others: Sequence[Other]) -> str:
    files = len({one.file for one in others})
    readings = f"{len(others)} {'reading' if len(others) == 1 else 'readings'}"
    return f"{readings} of {files} {'file' if files == 1 else 'files'}"


def _files(others: Sequence[Other]) -> str:
    return _names(list(dict.fromkeys(one.file for one in others)))


def _source(document: Document) -> str:
    return ", ".join(part for part in (document.source, document.where) if part)


def _checked(one: Checked, shown: Shown, width: int) -> list[str]:
    judged = one.judged
    word = "true by type" if one.trivial and judged.verdict != "violated" else judged.verdict
    lines = wrap(
        f"{word}: {one.reading.name} ({one.evidence})" if one.evidence else f"{word}: {one.reading.name}", width
    )
    facts = _reading(one.reading)
    facts.append(("other numbers", "" if one.general is None else str(one.general)))
    if one.trivial:
        facts.append(("says nothing", "every state that the types allow obeys it"))
    facts.append(("at fault", one.fault or judged.reason or ""))
    facts.append(("elsewhere", ", ".join(f"{name}: {verdict}" for name, verdict in one.elsewhere)))
    facts.append(("contradicts", ", ".join(one.contradicts)))
    facts.append(("implied by", "" if judged.verdict == "violated" else ", ".join(one.implied_by)))
    if one.reading.sentence.pattern != "possibility" and judged.verdict != "violated":
        facts.append(
            ("detects", ", ".join(f"{name} ({steps} steps)" for name, steps in one.caught) or "no fault of the model")
        )
        elsewhere = [name for name, others in one.missed if others]
        facts.append(("others detect", _names(elsewhere)))
        facts.append(("nothing detects", _names([name for name, others in one.missed if not others])))
    facts.append(("gave up on", ", ".join(one.given_up)))
    facts.extend(("invariant", lemma) for lemma in one.invariant)
    lines += _facts(facts, width)
    if judged.trace is not None:
        title = "A run that uses it" if judged.verdict == "holds" else "A run that breaks it"
        lines += [
            f"  {title}, {_steps(judged.trace)}, executed again:",
            *told(
                judged.trace,
                shown,
                loop=judged.loop,
                stops=judged.stops,
                until_ms=judged.until_ms,
                roundabout=judged.roundabout,
            ),
        ]
    return lines + _consequence(one, shown)


def _names(names: Sequence[str]) -> str:
    rest = len(names) - NAMES_MAX
    return ", ".join(names[:NAMES_MAX]) + (f" and {rest} more" if rest > 0 else "")


def _steps(trace: Trace) -> str:
    return f"{len(trace)} {'step' if len(trace) == 1 else 'steps'}"


def _consequence(one: Checked, shown: Shown) -> list[str]:
    found = one.consequence
    if found is None:
        return ["  Ignoring it: no model here has anybody who does."] if one.reading.keyword == "SHOULD" else []
    if one.reading.sentence.pattern == "possibility":
        if found.breaks is None:
            return ["  Used, it breaks no property of force MUST that is known here."]
        return [f"  Used, it breaks {found.breaks}, {_steps(found.trace)}:", *told(found.trace, shown)]
    if found.breaks is None:
        return [f"  Ignored ({found.world}), it breaks no property of force MUST that is known here."]
    return [f"  Ignored ({found.world}), it breaks {found.breaks}, {_steps(found.trace)}:", *told(found.trace, shown)]


RELATIONS = {
    "equivalent": "equivalent",
    "not told apart": "not told apart: no searched run shows a difference, and no proof is found that none does",
    "A stronger": "A is stronger: every run that obeys A obeys B",
    "B stronger": "B is stronger: every run that obeys B obeys A",
    "incomparable": "incomparable: each forbids a run that the other allows",
    "compatible": "compatible: no run that uses what the one allows breaks the other",
    "undecided": "undecided: a search did not end",
}


def _related(a: Reading, b: Reading, found: Difference) -> str:
    """The relation in words; a MAY allows, and is neither obeyed nor broken."""
    allows = [one.sentence.pattern == "possibility" for one in (a, b)]
    if found.relation == "A stronger" and any(allows):
        return "B allows more" if all(allows) else "A forbids what B allows"
    if found.relation == "B stronger" and any(allows):
        return "A allows more" if all(allows) else "B forbids what A allows"
    if found.relation == "equivalent" and found.worlds:
        return "equivalent " + ("at the numbers of these models" if found.proved else "in these models, in their scope")
    if found.relation == "incomparable" and all(allows):
        return "incomparable: each allows what the other does not speak of"
    return RELATIONS[found.relation]


def difference(pairs: Sequence[tuple[str, str, Reading, Reading, Difference]], shown: Shown, width: int) -> str:
    """The answers to `diff`."""
    lines: list[str] = []
    for name_a, name_b, a, b, found in pairs:
        lines += wrap(_related(a, b, found), width)
        lines += _facts(
            [
                ("A", f"{name_a}: {_one_line(a)}"),
                ("B", f"{name_b}: {_one_line(b)}"),
                ("basis", found.basis),
                ("cause", "" if found.cause is None else f'A says "{found.cause[0]}" where B says "{found.cause[1]}"'),
                ("gave up on", ", ".join(found.given_up)),
            ],
            width,
        )
        for one in found.splits:
            lines += ["", *_split(one, {"A": a, "B": b}, shown)]
        lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"


def _one_line(one: Reading) -> str:
    return str(one.sentence) + (f"; assuming {', '.join(one.assumptions)}" if one.assumptions else "")


def _split(one: Split, sides: Mapping[str, Reading], shown: Shown) -> list[str]:
    allows = {name: each.sentence.pattern == "possibility" for name, each in sides.items()}
    verbs = ("Uses" if allows[one.obeys] else "Obeys", "not" if allows[one.breaks] else "breaks")
    head = f"  {verbs[0]} {one.obeys}, {verbs[1]} {one.breaks} ({one.world}), {_steps(one.trace)}, executed again:"
    return [
        head,
        *told(one.trace, shown, loop=one.loop, stops=one.stops, until_ms=one.until_ms, roundabout=one.roundabout),
    ]


def killed(document: Document, rows: Sequence[tuple[Reading, Sequence[Row]]], width: int) -> str:
    """The answers to `kill`: a table by sentence."""
    lines = wrap(f"{document.id} ({document.file})", width)
    for reading, many in rows:
        lines += ["", *wrap(f"{reading.name}: {_one_line(reading)}", width)]
        table = [("mutant", "fate", "is", "told apart in"), *(_kill_row(row) for row in many)]
        lines += columns(table, align="w<<<", width=width)
        killed_count = sum(row.fate == "killed" for row in many)
        lines += [f"  {killed_count} of {len(many)} mutants are told apart."]
        if any(row.fate == "equivalent" for row in many):
            lines += _facts([("equivalent", f"proved, for runs of any length: {PROVED_OVER}")], width)
        if any(row.fate == "not told apart" for row in many):
            lines += _facts([("not told apart", "no run of these models shows a difference")], width)
    return "\n".join(lines) + "\n"


def _kill_row(row: Row) -> tuple[str, str, str, str]:
    where = "" if row.split is None else f"{row.split.world}, {_steps(row.split.trace)}"
    return row.slip.what, row.fate, "" if row.relation == "equivalent" else row.relation, where


def explained(document: Document, answers: Sequence[Why], width: int) -> str:
    """The answers to `why`."""
    lines = wrap(f"{document.id} ({document.file})", width)
    for one in answers:
        lines += ["", *wrap(f"{one.verdict}: {one.reading.name}", width)]
        facts = _reading(one.reading)[:2]
        facts.append(("reason", one.reason or ""))
        count = f"{one.obligations} {'obligation' if one.obligations == 1 else 'obligations'}"
        facts.append(("by", f"induction over steps, {count}" if one.obligations else ""))
        facts.append(("other numbers", "" if one.general is None else str(one.general)))
        facts.append(("rests on", "; ".join(f"what {name} does" for name, _ in one.steps)))
        lines += _facts(facts, width)
        for ground in one.needed:
            without = (
                f"without it broken in {_steps(ground.broken)}"
                if ground.broken is not None
                else "without it still true"
            )
            lines += columns([(f"needs {ground.action}", f"{ground.clause} ({without})")], align="<w", width=width)
        for lemma in one.lemmas[1:]:
            lines += columns([("lemma", lemma)], align="<w", width=width)
        for sentence in one.sentences:
            lines += columns([("sentence", f"{sentence.text} ({sentence.source})")], align="<w", width=width)
        for text, needed in one.assumptions:
            lines += columns([("assumes", f"{text}: {'needed' if needed else 'not needed'}")], align="<w", width=width)
        if one.obligations:
            lines += wrap(
                f"  Not needed: {len(one.unneeded)} other guards of the model (the JSON form names them).", width
            )
    return "\n".join(lines) + "\n"
