"""Finds inputs that cause a refusal: without them, the caller is let in.

Some applications look for a token in the query or in an ``Authorization`` header before the
session. They reject any other value there. A search that always sends all inputs would never be let
in.
"""

from __future__ import annotations

from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.individual import Call

_ASKED_FIRST = frozenset({Location.HEADER, Location.COOKIE, Location.QUERY})
"""Locations of credentials. A form field counts where the query has it, too."""

_NO_ADMISSION = frozenset({404, 405})
"""Statuses that may come before the check of the caller. A wrong content type comes after it."""


class UnwelcomeInputs:
    """Learns which inputs of an endpoint to omit."""

    def __init__(self) -> None:
        self._admitted: set[tuple[str, str | None]] = set()
        self._guarded: set[str] = set()
        """Endpoints that refuse for other reasons, such as missing credentials."""
        self._welcome: set[tuple[str, str]] = set()
        self._suspect: set[tuple[str, str]] = set()

    def learn(self, call: Call, status: int, refused: bool) -> bool:
        """Learn from a response, which may have `refused` the caller; say whether it is new."""
        caller, known = (call.endpoint, call.user), len(self._suspect)
        if refused and caller in self._admitted:
            self._blame(call)
        elif not refused and status not in _NO_ADMISSION:
            self._admitted.add(caller)
            self._welcome.update((call.endpoint, given.name) for given in call.inputs)
        return len(self._suspect) > known

    def _blame(self, call: Call) -> None:
        """Suspect all credentials of a refused call that never worked with them."""
        blamed = [
            given
            for given in call.inputs
            if given.location in _ASKED_FIRST or given.location is Location.FORM
            if (call.endpoint, given.name) not in self._welcome
        ]
        if not blamed:
            self._guarded.add(call.endpoint)
        self._suspect.update(
            (call.endpoint, given.name) for given in blamed if given.location in _ASKED_FIRST
        )

    def has(self, endpoint: str, name: str) -> bool:
        """Say whether only refused calls of the endpoint sent an input of this name."""
        place = (endpoint, name)
        unexplained = endpoint not in self._guarded
        return unexplained and place in self._suspect and place not in self._welcome
