"""What the verdicts rest on that nobody stated."""

from collections.abc import Mapping

from latchcheck.kernel.verdict import PropertyVerdict
from latchcheck.model.config import Config
from latchcheck.model.idle import idle
from latchcheck.model.keys import KEYS

CONFIGURED_ONLY = {"every-window-can-fire"}


def assumptions(config: Config, verdicts: Mapping[str, PropertyVerdict]) -> tuple[str, ...]:
    """One sentence for each value that nobody stated and that an answered property reads.

    What a property lacks altogether is said in its own verdict, so a `not-applicable` one assumes nothing.
    Nor does a key count that has nothing to act on, or a limit that is not there for `every-window-can-fire`, which
    asks about those that are.
    """
    answered = {name for name, one in verdicts.items() if one.verdict != "not-applicable"}
    unread = idle(config)
    found = [
        key.assumed
        for key in KEYS
        if config.origin(key.flat).kind == "default"
        and key.flat not in unread
        and answered.intersection(key.properties) - (set() if config.value(key.flat) is not None else CONFIGURED_ONLY)
    ]
    return tuple(dict.fromkeys(found))
