"""The theorems about admission, as `latchcheck recheck` proves them again."""

from latchcheck.engines.obligations import Theorem

from . import policy_layer, proofs

ABOUT = "admission"


def theorems() -> tuple[Theorem, ...]:
    """Every theorem about admission."""
    return (
        Theorem(
            "one-decision",
            ABOUT,
            "For every request and every stored record exactly one decision applies: some row does, and no two do.",
            proofs.total_and_single,
        ),
        Theorem(
            "judged-before-shown",
            ABOUT,
            "A stranger's request, and one about an expired record, is refused, and the refusal is the same whatever "
            "status, version, digest and history the record has.",
            proofs.judged_first,
        ),
        Theorem(
            "refused-changes-nothing",
            ABOUT,
            "Where a request is refused no action on a record happens, and a refused call touches no record.",
            proofs.blocked_changes_nothing,
        ),
        Theorem(
            "backoff-bounded",
            "failures-are-classified",
            "Capped, counted and advertised backoff with full jitter: no delay beyond the cap, no attempt beyond the "
            "ceiling, no worker held by a wait, for all delays and ceilings.",
            policy_layer.proofs,
        ),
    )
