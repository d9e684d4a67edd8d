"""`patience-covers-execution`: the client reads the end of every execution before its limit.

Read of the client and the work alone: the execution runs its declared course, the server neither
stops the work nor removes the record (the other properties speak about that).  A reply that comes
at the very instant of the limit may come second, so it does not count.
"""

from collections import defaultdict

from attrs import evolve

from tests.agreement.brute_grid import INF, World
from tests.agreement.brute_search import UNSEEN, Found, Search


class PatienceSearch(Search):
    """The search without a server that acts; a violation is a limit reached with the end unread."""

    def _visit(self, contact: int) -> None:
        packing, poller, world = self.packing, self.poller, self.world
        done: dict = defaultdict(int)
        while self.pending.get(contact):
            (stance, deadline), refs = self.pending[contact].popitem()
            refs &= ~done[stance, deadline]
            if not refs:
                continue
            done[stance, deadline] |= refs
            silence = poller.explore(contact, stance, refs)
            self._next_contacts(contact, deadline, silence)
            readers = silence.arrivals[0] | silence.arrivals[1]
            earliest = max(contact, world.execution[0]) - contact
            readers &= packing.between(earliest, self.span)
            late = packing.later(poller.stopped, -contact - world.latency[1])
            self.found.note(UNSEEN, 1, silence.quiet_by_limit | (readers & late))
        self.pending.pop(contact, None)


def patience(world: World) -> Found:
    """Search the client of a world against a server that lets every execution run its course."""
    inert = evolve(world, orphan_window=INF, deadline=INF, ttl=INF, skew=0, lazy=False, period=0, lateness=0)
    return PatienceSearch(inert).run()
