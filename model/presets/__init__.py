"""Observed defaults of published clients and servers, each with its provenance.

One TOML file a product party, in `clients/` and `servers/`:

- `values`: what was seen, each value with the place where it was seen;
- `none`: the knobs that the product does not have, or that were not seen, each with the reason;
- `when`: values that hold on a condition only;
- `facts`: what no key of a configuration says, in words.

A value that nobody saw is in no file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal

import attrs

from latchcheck.naming import instead

from ..config import Config, Origin
from ..keys import BY_SPELLING, Key
from ..reading.errors import ConfigError, Faults, Where
from ..reading.sections import Given
from ..reading.toml import parse as parse_toml
from ..reading.values import Spot, parse

Party = Literal["client", "server"]
Condition = Literal["no-requested-ttl", "no-hint", "peer-speaks-2025-11-25-only"]

PARTIES: Final[tuple[Party, ...]] = ("client", "server")
ROLES: Final[Mapping[Party, tuple[str, ...]]] = {"client": ("-client",), "server": ("-server", "-receiver")}
"""What an id may end in beside its name, as surveys of products write it: the option says the party already."""
CONDITIONS: Final[Mapping[Condition, str]] = {
    "no-requested-ttl": "the client requests no ttl",
    "no-hint": "the server gives no hint",
    "peer-speaks-2025-11-25-only": "the other party speaks 2025-11-25 only",
}

_FOLDER: Final = Path(__file__).parent
_SUFFIX: Final = ".toml"


@attrs.frozen(slots=True, kw_only=True)
class Observed:
    """One value of a product, as a file would write it, with where it was `seen` and what to `note`."""

    value: Any
    seen: str
    note: str = ""


@attrs.frozen(slots=True, kw_only=True)
class When:
    """Values of a product that hold on a condition only, in place of the ordinary ones."""

    condition: Condition
    values: Mapping[str, Observed]


@attrs.frozen(slots=True, kw_only=True)
class Preset:
    """What is known of one party of one product.

    `wire` names the versions of the specification that it speaks.
    `excerpt` is true where only an excerpt of the source was read.
    """

    id: str
    party: Party
    name: str
    version: str
    wire: tuple[str, ...]
    source: str
    values: Mapping[str, Observed]
    none: Mapping[str, str] = attrs.field(factory=dict)
    when: tuple[When, ...] = ()
    facts: Mapping[str, str] = attrs.field(factory=dict)
    notes: tuple[str, ...] = ()
    excerpt: bool = False

    def given(self) -> list[Given]:
        """Return the ordinary values, read."""
        return self._read(self.values)

    def conditional(self, config: Config, present: Sequence[Preset]) -> Iterator[Given]:
        """Yield the values whose condition holds for this configuration and these presets."""
        for when in self.when:
            if _HOLDS[when.condition](self, config, present):
                yield from self._read(when.values)

    def absences(self) -> dict[str, Origin]:
        """Return, by flat name, why the product leaves a key at its default."""
        return {self.key(name).flat: Origin("default", f"{self.id}: {reason}") for name, reason in self.none.items()}

    def key(self, name: str) -> Key:
        """Return the key that a name in this file means."""
        return BY_SPELLING[self.party, name]

    def _read(self, values: Mapping[str, Observed]) -> list[Given]:
        where = Where(f"preset {self.id}")
        return [
            Given(
                self.key(name),
                parse(Spot(self.key(name), name, attrs.evolve(where, key=f"{self.party}.{name}")), observed.value),
                where,
                Origin("preset", f"{self.id} ({observed.seen})"),
            )
            for name, observed in values.items()
        ]


_HOLDS: Final[Mapping[Condition, Callable[[Preset, Config, Sequence[Preset]], bool]]] = {
    "no-requested-ttl": lambda _preset, config, _present: config.client.requested_ttl_ms is None,
    "no-hint": lambda _preset, config, _present: config.server.poll_interval_ms is None,
    "peer-speaks-2025-11-25-only": lambda preset, _config, present: any(
        other.wire == ("2025-11-25",) for other in present if other.party != preset.party
    ),
}


def names(party: Party) -> tuple[str, ...]:
    """Return the ids of all presets of a party, in order."""
    return tuple(sorted(file.stem for file in (_FOLDER / f"{party}s").iterdir() if file.suffix == _SUFFIX))


def load(party: Party, name: str) -> Preset:
    """Return the preset of this id; raise ConfigError, with the nearest id, where there is none.

    The id may end in the party: `strands-py-client` is the client `strands-py`.
    """
    known = names(party)
    meant = next((one for one in (name, *_without_role(party, name)) if one in known), None)
    if meant is None:
        raise _unknown(party, name)
    file = _FOLDER / f"{party}s" / f"{meant}{_SUFFIX}"
    data = parse_toml(file.read_text(encoding="utf-8"), file.name)
    return Preset(id=meant, party=party, **_structured(data))


def ids(*, client: Sequence[str], server: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the ids of the presets named for either party, each once, or of all where none is named.

    Raises ConfigError for every name that is none.
    """
    faults = Faults()
    found: dict[Party, dict[str, None]] = {"client": {}, "server": {}}
    asked: dict[Party, Sequence[str]] = {"client": client or names("client"), "server": server or names("server")}
    for party, wanted in asked.items():
        for name in wanted:
            with faults.kept():
                found[party][load(party, name).id] = None
    faults.told()
    return list(found["client"]), list(found["server"])


def _without_role(party: Party, name: str) -> Iterator[str]:
    return (name.removesuffix(role) for role in ROLES[party] if name.endswith(role))


def every() -> tuple[Preset, ...]:
    """Return all presets: the clients in order, then the servers."""
    return tuple(load(party, name) for party in PARTIES for name in names(party))


def _structured(data: dict[str, Any]) -> dict[str, Any]:
    """Turn the tables of a preset file into records, which refuse what they do not know."""
    return data | {
        "wire": tuple(data["wire"]),
        "values": _observed(data["values"]),
        "when": tuple(
            When(condition=when["condition"], values=_observed(when["values"])) for when in data.get("when", ())
        ),
        "notes": tuple(data.get("notes", ())),
    }


def _observed(table: dict[str, dict[str, Any]]) -> dict[str, Observed]:
    return {name: Observed(**row) for name, row in table.items()}


def _unknown(party: Party, name: str) -> ConfigError:
    where = Where(f"--{party} {name}")
    other: Party = "server" if party == "client" else "client"
    plain = name.lower()
    for role in (role for roles in ROLES.values() for role in roles):
        plain = plain.removesuffix(role)
    if plain in names(other) and plain not in names(party):
        meant = f"it is a {other}: --{other} {plain}"
    else:
        meant = instead(plain, names(party), "latchcheck list presets")
    return ConfigError(f"there is no {party} preset of this name", where, meant)
