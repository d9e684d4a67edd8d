"""The guarded model as one system: parts that no property needs together meet, and everything still holds."""

import pytest

from latchcheck.engines.explicit import Options, explore
from latchcheck.model.policy import Policy
from latchcheck.model.scope import Scope
from latchcheck.properties.lifecycle.searches import build

SCOPES = (
    # An attempt that fails after a cancel was noted: its report is refused for an old version, and its message stays.
    "attempts=2,restarts=1,cancels=1",
    # A client that polls again when its silence and the ttl are over: the orphans pass still comes before the expiry.
    "polls=1,silences=1,expiries=1",
    "clients=1,lag=2,crashes=2,stalls=1,polls=1,reissues=1,losses=1",
    "instances=2,crashes=1,redeliveries=1,cancels=1,inputs=2,unknown_statuses=1",
    "workers=2,crashes=1,restarts=1,redeliveries=1,cancels=1,inputs=1,attempts=1,client_crashes=1,losses=1",
    "workers=2,instances=2,stalls=1,restarts=1,cancels=1,reissues=2,client_crashes=2,silences=1",
)


@pytest.mark.parametrize("scope", SCOPES)
def test_every_property_holds_in_one_system(scope: str) -> None:
    """A scope that is spelled out is searched whole, and no property is broken in it."""
    built, asked = build(Scope.parse(scope), Policy.parse("guarded"))
    found = explore(built.system, asked, options=Options(keep_going=True))

    assert found.complete
    assert dict(found.clauses) == {}
