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
        self._targets: dict[str, dict[str, None]] = {}
        """Page -> endpoints to which its forms lead."""

    def note(self, key: str, sent: Iterable[tuple[Location, str]], page: str) -> None:
        """Note which inputs a form of a page sends to an endpoint."""
        self._targets.setdefault(page, {})[key] = None
        forms = self._sent.setdefault(key, {})
        if len(forms) < MOST_FORMS:
            forms[frozenset(sent)] = None

    def sent_to(self, key: str) -> list[frozenset[tuple[Location, str]]]:
        """Return which inputs each form sends to an endpoint, those with most inputs first."""
        return sorted(self._sent.get(key, ()), key=len, reverse=True)

    def submitted_from(self, page: str) -> list[str]:
        """Return the endpoints to which the forms of a page lead."""
        return list(self._targets.get(page, ()))
