"""Credentials that were found to let a caller in: most calls made from then on hold them."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.problem.http.exchanges.endpoint import Location

HELD_SHARE = 0.9
"""How often a call with random values holds the keys; without them the door is met again."""

KEY_LOCATIONS = frozenset({Location.HEADER, Location.COOKIE, Location.QUERY})
"""Where the inputs lie that may stand beside any other input of any endpoint."""


class KeyRing:
    """Holds one gene for each input that is a credential."""

    def __init__(self) -> None:
        self._genes: dict[tuple[Location, str], Gene] = {}

    def add(self, identity: tuple[Location, str], gene: Gene) -> bool:
        """Take in a credential; say whether it is the first for this input."""
        if identity[0] not in KEY_LOCATIONS or identity in self._genes:
            return False
        self._genes[identity] = gene
        return True

    @property
    def all(self) -> Mapping[tuple[Location, str], Gene]:
        """Every credential that is known."""
        return dict(self._genes)

    def held(self, always: bool, rng: Random) -> dict[tuple[Location, str], Gene]:
        """Return the keys that one call is to hold; nothing is drawn while there are none."""
        if self._genes and (always or rng.random() < HELD_SHARE):
            return self._genes
        return {}
