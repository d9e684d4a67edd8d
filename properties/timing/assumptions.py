"""What the verdicts rest on that nobody stated."""

from collections.abc import Mapping

from latchcheck.kernel.verdict import PropertyVerdict
from latchcheck.model.config import Config


def assumptions(config: Config, verdicts: Mapping[str, PropertyVerdict]) -> tuple[str, ...]:
    """One sentence for each value that was assumed and that an answered property reads."""
    return ()
