"""Two-phase commit after Gray and Lamport, "Consensus on Transaction Commit" (2006), section 3.

One transaction manager, some resource managers.
Messages are never lost and never taken away: a message sent is a Boolean that stays true.
The numbers of reachable states are published with the model in more than one checker: 288 for three resource managers,
8,832 for five.
"""

from functools import reduce
from typing import Any

import z3

from latchcheck.kernel import Action, Bool, Choice, Clause, Enum, IntRange, Property, Sentence, System, Variable

RM = Enum("ResourceManager", ("working", "prepared", "committed", "aborted"))
TM = Enum("TransactionManager", ("init", "committed", "aborted"))
PAPER = "Gray and Lamport, Consensus on Transaction Commit"


def _at(terms: list[Any], index: Any) -> Any:
    """The element of a list at a position that a choice picks."""
    return reduce(lambda rest, pair: z3.If(index == pair[0], pair[1], rest), enumerate(terms[:-1]), terms[-1])


def two_phase_commit(managers: int) -> System:
    """The protocol for a number of resource managers."""
    tm = Variable("tm", TM, "init")
    rms = [Variable(f"rm{i}", RM, "working") for i in range(managers)]
    noted = [Variable(f"noted{i}", Bool(), False) for i in range(managers)]
    sent = [Variable(f"sent{i}", Bool(), False) for i in range(managers)]
    commit, abort = Variable("sent_commit", Bool(), False), Variable("sent_abort", Bool(), False)
    rm = Choice("rm", IntRange(0, managers - 1))
    undecided = Clause("the transaction manager is undecided", tm.term == TM["init"])
    working = Clause("the resource manager is working", _at([v.term for v in rms], rm.term) == RM["working"])

    def put(variables: list[Variable], value: Any) -> dict[str, Any]:
        return {v.name: z3.If(rm.term == i, value, v.term) for i, v in enumerate(variables)}

    true = z3.BoolVal(True)
    everyone = Clause("everyone is prepared", z3.And([v.term for v in noted]))
    return System(
        f"two-phase commit of {managers}",
        (tm, *rms, *noted, *sent, commit, abort),
        (
            Action(
                "TMRcvPrepared",
                "tm",
                (undecided, Clause("it was sent", _at([v.term for v in sent], rm.term))),
                put(noted, true),
                (rm,),
            ),
            Action("TMCommit", "tm", (undecided, everyone), {"tm": TM["committed"], "sent_commit": true}),
            Action("TMAbort", "tm", (undecided,), {"tm": TM["aborted"], "sent_abort": true}),
            Action("RMPrepare", "rm", (working,), {**put(rms, RM["prepared"]), **put(sent, true)}, (rm,)),
            Action("RMChooseToAbort", "rm", (working,), put(rms, RM["aborted"]), (rm,)),
            Action("RMRcvCommitMsg", "rm", (Clause("it was sent", commit.term),), put(rms, RM["committed"]), (rm,)),
            Action("RMRcvAbortMsg", "rm", (Clause("it was sent", abort.term),), put(rms, RM["aborted"]), (rm,)),
        ),
    )


def consistent(system: System) -> Property:
    """No two resource managers decide differently."""
    rms = [v.term for v in system.variables if v.domain == RM]
    committed = z3.Or([term == RM["committed"] for term in rms])
    aborted = z3.Or([term == RM["aborted"] for term in rms])
    sentence = Sentence("One RM cannot have aborted while another has committed.", PAPER, "section 3")
    return Property(
        "consistent",
        "MUST",
        sentence,
        (Clause("not both committed and aborted", z3.Not(z3.And(committed, aborted))),),
        antecedent=z3.Or(committed, aborted),
    )


def all_committed(system: System) -> Property:
    """Everybody can commit."""
    rms = [v.term for v in system.variables if v.domain == RM]
    sentence = Sentence("All resource managers can commit.", PAPER, "section 3")
    return Property(
        "all-committed",
        "MAY",
        sentence,
        (Clause("all committed", z3.And([term == RM["committed"] for term in rms])),),
        expectation="reachable",
    )


def all_aborted(system: System) -> Property:
    """Everybody can abort."""
    rms = [v.term for v in system.variables if v.domain == RM]
    sentence = Sentence("All resource managers can abort.", PAPER, "section 3")
    return Property(
        "all-aborted",
        "MAY",
        sentence,
        (Clause("all aborted", z3.And([term == RM["aborted"] for term in rms])),),
        expectation="reachable",
    )
