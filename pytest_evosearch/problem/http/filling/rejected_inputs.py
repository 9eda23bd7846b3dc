"""Inputs for which a caller is refused who was let in without them.

An application that looks for a token in the query, or for an ``Authorization`` header, before
it looks at the session takes any value there for a wrong one.  A search that always sends all that
an endpoint reads would never come in.
"""

from __future__ import annotations

from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.individual import Call

_ASKED_FIRST = frozenset({Location.HEADER, Location.COOKIE, Location.QUERY})
"""Where credentials travel.  A field of a form is one where the query has it, too."""

_NO_ADMISSION = frozenset({404, 405})
"""Answers that may come before the question who is calling; who sends the wrong type was let in."""


class UnwelcomeInputs:
    """Learns from calls which inputs of an endpoint are better left out."""

    def __init__(self) -> None:
        self._admitted: set[tuple[str, str | None]] = set()
        self._guarded: set[str] = set()
        """Endpoints that refuse for other reasons, such as credentials that are missing."""
        self._welcome: set[tuple[str, str]] = set()
        self._suspect: set[tuple[str, str]] = set()

    def learn(self, call: Call, status: int, refused: bool) -> bool:
        """Take in an answer, which may have `refused` the caller; say if there is news."""
        caller, known = (call.endpoint, call.user), len(self._suspect)
        if refused and caller in self._admitted:
            self._blame(call)
        elif not refused and status not in _NO_ADMISSION:
            self._admitted.add(caller)
            self._welcome.update((call.endpoint, given.name) for given in call.inputs)
        return len(self._suspect) > known

    def _blame(self, call: Call) -> None:
        """Suspect all credentials of a refused call that was never let in with them."""
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
