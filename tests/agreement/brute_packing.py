"""Sets of (instant, environment) packed in one Python integer.

An environment is one choice of what stays fixed for a whole run: the phase of the sweeps and the
instant at which the client's overall limit passes.  Bit ``t * n + e`` says that instant t is in
the set in environment e.  Plain sets of pairs would do; integers make the search fast enough to
decide thousands of configurations.
"""

from collections.abc import Iterator

from attrs import field, frozen


@frozen(slots=True)
class Packing:
    """Operations on packed sets over `n` environments."""

    n: int
    every: int = field(init=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "every", (1 << self.n) - 1)

    def all(self, width: int) -> int:
        """Every instant below `width` in every environment."""
        return (1 << (self.n * max(0, width))) - 1

    def between(self, low: int, high: int) -> int:
        """Every instant in [low, high] in every environment."""
        low = max(low, 0)
        return 0 if high < low else self.all(high + 1) ^ self.all(low)

    def later(self, bits: int, steps: int) -> int:
        """The set moved by `steps` (negative: earlier; instants below 0 are dropped)."""
        return bits << (steps * self.n) if steps >= 0 else bits >> (-steps * self.n)

    def spread(self, bits: int, low: int, high: int) -> int:
        """All t + d for t in the set and d in [low, high], 0 <= low <= high."""
        bits <<= low * self.n
        have, want = 1, high - low + 1
        while have < want:
            step = min(have, want - have)
            bits |= bits << (step * self.n)
            have += step
        return bits

    def upto(self, bits: int) -> int:
        """All instants at or before some instant of the set, per environment."""
        width, step = bits.bit_length() // self.n + 1, 1
        while step <= width:
            bits |= bits >> (step * self.n)
            step *= 2
        return bits

    def onward(self, bits: int, width: int) -> int:
        """All instants below `width` at or after some instant of the set, per environment."""
        keep, step = self.all(width), 1
        bits &= keep
        while bits and step < width:
            bits |= (bits << (step * self.n)) & keep
            step *= 2
        return bits

    def at(self, bits: int, instant: int) -> int:
        """The environments in which `instant` is in the set."""
        return (bits >> (instant * self.n)) & self.every if instant >= 0 else 0

    def anywhere(self, bits: int) -> int:
        """The environments in which the set is not empty."""
        return self.upto(bits) & self.every

    def instants(self, bits: int) -> Iterator[tuple[int, int]]:
        """Pairs (instant, environments), in order, where not empty."""
        instant = 0
        while bits:
            skip = ((bits & -bits).bit_length() - 1) // self.n
            instant += skip
            bits >>= skip * self.n
            yield instant, bits & self.every
            bits >>= self.n
            instant += 1
