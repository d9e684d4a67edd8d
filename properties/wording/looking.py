"""A policy that notes which of its switches are looked at: a fault in any other changes nothing of what is built."""

from __future__ import annotations

from ...model.policy import SWITCHES, Policy


class Noting(Policy):
    """A setting of every switch, and the names of those that were read since `forget`."""

    __slots__ = ("_looked",)

    def __getattribute__(self, name: str) -> object:
        if name in SWITCHES:
            self.looked.add(name)
        return super().__getattribute__(name)

    def __str__(self) -> str:
        # To tell the policy is not to act on it.
        before = set(self.looked)
        text = super().__str__()
        object.__setattr__(self, "_looked", before)
        return text

    @property
    def looked(self) -> set[str]:
        """The switches that were read."""
        try:
            return object.__getattribute__(self, "_looked")
        except AttributeError:
            object.__setattr__(self, "_looked", set())
            return self.looked

    def forget(self) -> None:
        """Nothing was read so far."""
        self.looked.clear()


def differing(one: Policy, other: Policy) -> set[str]:
    """The switches in which two policies differ."""
    return {name for name in SWITCHES if getattr(one, name) != getattr(other, name)}
