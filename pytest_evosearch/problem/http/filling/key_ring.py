"""Credentials that were found to let a caller in.

Signatures, and all of them where no user can be made, are held by most calls made from then on.
"""

from __future__ import annotations

from collections.abc import Mapping

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.individual import Call

HELD_SHARE = 0.9
"""How often a call with random values holds the keys; without them the door is met again."""

KEY_LOCATIONS = frozenset({Location.HEADER, Location.COOKIE, Location.QUERY, Location.ENVIRON})
"""Where the inputs lie that may stand beside any other input of any endpoint."""


class KeyRing:
    """Holds one gene for each input that is a credential."""

    def __init__(self) -> None:
        self._genes: dict[tuple[Location, str], Gene] = {}
        self._values: dict[tuple[Location, str], set[str]] = {}
        """All values that are known for each input: each caller has their own."""
        self._signatures: set[tuple[Location, str]] = set()
        self.users = False
        """Whether users hold what is no signature."""

    def add(
        self, identity: tuple[Location, str], gene: Gene, *, is_signature: bool = False
    ) -> bool:
        """Take in a credential; say whether it is the first for this input."""
        self._values.setdefault(identity, set()).add(str(gene.value()))
        if identity[0] not in KEY_LOCATIONS or identity in self._genes:
            return False
        self._genes[identity] = gene
        if is_signature:
            self._signatures.add(identity)
        return True

    def are_held_by(self, call: Call) -> bool:
        """Say whether a call sends any credential that is known."""
        return any(
            str(given.gene.value()) in self._values.get(given.key, ()) for given in call.inputs
        )

    @property
    def all(self) -> Mapping[tuple[Location, str], Gene]:
        """Every credential that is known."""
        return dict(self._genes)

    @property
    def signatures(self) -> Mapping[tuple[Location, str], Gene]:
        """Those that sign the rest of a request."""
        return {key: gene for key, gene in self._genes.items() if key in self._signatures}

    def held(self, always: bool, rng: Random) -> Mapping[tuple[Location, str], Gene]:
        """Return the keys that one call is to hold; nothing is drawn while there are none."""
        genes = self.signatures if self.users else self._genes
        if genes and (always or rng.random() < HELD_SHARE):
            return genes
        return {}
