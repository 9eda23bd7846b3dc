"""What the forms of pages send, and where they lead."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_evosearch.problem.http.exchanges.endpoint import Location

MOST_FORMS = 4
"""Most forms of which it is known what they send to one endpoint."""


class SeenForms:
    """Knows the forms that pages have shown."""

    def __init__(self) -> None:
        self._sent: dict[str, dict[frozenset[tuple[Location, str]], None]] = {}
        """Endpoint -> what the forms that lead to it send, each with its first button."""

    def note(self, key: str, sent: Iterable[tuple[Location, str]]) -> None:
        """Note which inputs a form sends to an endpoint."""
        forms = self._sent.setdefault(key, {})
        if len(forms) < MOST_FORMS:
            forms[frozenset(sent)] = None

    def sent_to(self, key: str) -> list[frozenset[tuple[Location, str]]]:
        """Return which inputs each form sends to an endpoint, those with most inputs first."""
        return sorted(self._sent.get(key, ()), key=len, reverse=True)
