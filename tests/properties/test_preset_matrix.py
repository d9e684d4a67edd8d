"""Every published client against every published server: each question is answered, and each answer is consistent."""

import pytest

from latchcheck.model import presets
from latchcheck.model.reading import read
from latchcheck.properties.timing import CATALOGUE, verify

EXECUTIONS = {"undeclared": (), "up-to-1m": ("[0s,1m]",), "exactly-2m": ("2m",), "up-to-1h": ("[0s,1h]",)}


@pytest.mark.slow
@pytest.mark.parametrize("execution", EXECUTIONS)
@pytest.mark.parametrize("client", presets.names("client"))
def test_every_pair_is_answered(client: str, execution: str) -> None:
    """Each property is decided by a proof or by a run whose last step is the harm, and no margin contradicts it."""
    for server in presets.names("server"):
        sets = [f"workload.execution={value}" for value in EXECUTIONS[execution]]
        report = verify(read(client=client, server=server, sets=sets))

        assert [one.id for one in report.properties] == list(CATALOGUE)
        for one in report.properties:
            where = (client, server, execution, one.id)
            assert (where, True) == (where, one.verdict in {"proved", "violated", "vacuous", "not-applicable"})
            assert (where, one.verdict == "violated") == (where, one.witness is not None)
            if one.witness is not None:
                assert (where, True) == (where, any(new is True for _, new in one.witness.steps[-1].changed.values()))
            if one.margin_ms is not None:
                assert (where, True) == (where, one.margin_ms >= 0 if one.verdict == "proved" else one.margin_ms <= 0)
