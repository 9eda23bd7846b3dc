"""Credentials that let a caller in.

Most later calls hold the signatures; where no user can be made, they hold all credentials.
"""

from __future__ import annotations

from collections.abc import Mapping

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.individual import Call

HELD_SHARE = 0.9
"""How often a call with random values holds the keys; without them, the refusal is tested again."""

KEY_LOCATIONS = frozenset({Location.HEADER, Location.COOKIE, Location.QUERY, Location.ENVIRON})
"""Locations of inputs that can accompany any other input of any endpoint."""


class KeyRing:
    """Holds one gene for each input that is a credential."""

    def __init__(self) -> None:
        self._genes: dict[tuple[Location, str], Gene] = {}
        self._values: dict[tuple[Location, str], set[str]] = {}
        """All known values of each input: each caller has a value of their own."""
        self._signatures: set[tuple[Location, str]] = set()
        self.users = False
        """Whether users hold all credentials except signatures."""

    def add(
        self, identity: tuple[Location, str], gene: Gene, *, is_signature: bool = False
    ) -> bool:
        """Add a credential; say whether it is the first for this input."""
        self._values.setdefault(identity, set()).add(str(gene.value()))
        if identity[0] not in KEY_LOCATIONS or identity in self._genes:
            return False
        self._genes[identity] = gene
        if is_signature:
            self._signatures.add(identity)
        return True

    def are_held_by(self, call: Call) -> bool:
        """Say whether a call sends any known credential."""
        known = self._values
        if not known:
            return False
        return any(
            str(given.gene.value()) in known[given.key]
            for given in call.inputs
            if given.key in known
        )

    @property
    def all(self) -> Mapping[tuple[Location, str], Gene]:
        """Every known credential."""
        return dict(self._genes)

    @property
    def signatures(self) -> Mapping[tuple[Location, str], Gene]:
        """The credentials that sign the rest of a request."""
        return {key: gene for key, gene in self._genes.items() if key in self._signatures}

    def held(self, always: bool, rng: Random) -> Mapping[tuple[Location, str], Gene]:
        """Return the keys that one call should hold; without keys, draw nothing from `rng`."""
        genes = self.signatures if self.users else self._genes
        if genes and (always or rng.random() < HELD_SHARE):
            return genes
        return {}
