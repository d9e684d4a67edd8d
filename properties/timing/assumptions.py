"""What the verdicts rest on that nobody stated."""

from collections.abc import Mapping

from latchcheck.kernel.verdict import PropertyVerdict
from latchcheck.model.config import Config
from latchcheck.model.idle import idle
from latchcheck.model.keys import KEYS


def assumptions(config: Config, verdicts: Mapping[str, PropertyVerdict]) -> tuple[str, ...]:
    """One sentence for each value that nobody stated and that an answered property reads.

    What a property lacks altogether is said in its own verdict, so a `not-applicable` one assumes nothing.
    Nor does a key count that has nothing to act on.
    """
    answered = {name for name, one in verdicts.items() if one.verdict != "not-applicable"}
    unread = idle(config)
    found = [
        key.assumed
        for key in KEYS
        if config.origin(key.flat).kind == "default"
        and key.flat not in unread
        and answered.intersection(key.properties)
    ]
    return tuple(dict.fromkeys(found))
