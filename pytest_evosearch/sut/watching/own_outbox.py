"""What an application puts where it keeps its own letters: a list, a dict, a file, a table.

Many an application sends no mail in tests: it appends the letter to ``app.outbox``, or keeps the
code that it would send.  Whatever new text a changing call leaves in a place that tests can read
is taken for such a letter; what of it was sent or answered is no news (`problem.http.learning`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Iterable
from typing import Protocol

from pytest_evosearch.core.http_words import SAFE
from pytest_evosearch.sut.watching.outbox import SentMail

MOST_PLACES = 200_000
"""Places that are looked at in a run where no call needs what stands in a letter."""

MOST_LETTERS = 16

SHORTEST_LETTER, LONGEST_LETTER = 4, 10_000


_DRAWN_KEY = re.compile(r'\["(?![^"]*@)(?=[^"]*\d)[^"]{8,}"\]')
"""A key that looks drawn by chance: no test finds a place behind it again."""


class Place(Protocol):
    """What is needed of `sut.users.origins.Place`."""

    @property
    def expression(self) -> str:
        """Return the code that reads the value."""
        ...

    @property
    def value(self) -> object:
        """Return the value."""
        ...

    @property
    def imports(self) -> tuple[str, ...]:
        """Return what the code needs."""
        ...


class Mailbox(Protocol):
    """What is needed of `sut.watching.outbox.Outbox`."""

    def begin(self, endpoint: str) -> None:
        """Forget what was sent."""
        ...

    def take(self) -> list[SentMail]:
        """Return what was sent since `begin`."""
        ...


class OwnOutbox:
    """Sees the letters that an application keeps, beside those that it sends."""

    def __init__(
        self, places: Callable[[], Iterable[Place]], mailbox: Mailbox | None = None
    ) -> None:
        self._places = places
        self._mailbox = mailbox
        self.rows: Callable[[], Iterable[Place]] = tuple
        """Returns the texts in rows of databases, as places."""
        self._baseline: frozenset[str] | None = None
        self._known: set[str] = set()
        """What earlier calls of the test have left."""
        self._left = MOST_PLACES
        self._expects: Callable[[], bool] = bool
        self._endpoint = ""

    def begin_test(self) -> None:
        """Forget what earlier calls have left: the state of the application is back."""
        self._known.clear()

    def expect(self, letters: Callable[[], bool]) -> None:
        """Look for letters in the next test in any case, if its calls send what stands in them.

        `letters` says so; it is asked only where this decides.
        """
        self._expects = letters

    def begin(self, endpoint: str) -> None:
        """Expect a call."""
        self._endpoint = endpoint
        if self._baseline is None:
            self._baseline = frozenset(letter.body for letter in self._letters())
        if self._mailbox is not None:
            self._mailbox.begin(endpoint)

    def take(self) -> list[SentMail]:
        """Return the letters that the call has left, those that were sent last."""
        sent = self._mailbox.take() if self._mailbox is not None else []
        changes = self._endpoint.partition(" ")[0] not in SAFE
        if not changes or not (self._left > 0 or self._expects()):
            return sent
        known = (self._baseline or frozenset()) | self._known
        found = [letter for letter in self._letters() if letter.body not in known]
        self._known.update(letter.body for letter in found)
        found = list({letter.body.strip(): letter for letter in reversed(found)}.values())[::-1]
        return [*found[-MOST_LETTERS:], *sent]

    def _letters(self) -> list[SentMail]:
        """Return the texts that the application keeps now."""
        kept = [*self._places(), *self.rows()]
        self._left -= len(kept)
        return [
            SentMail(place.value, "", False, place.expression, place.imports)
            for place in kept
            if isinstance(place.value, str)
            and SHORTEST_LETTER <= len(place.value) <= LONGEST_LETTER
            and not _DRAWN_KEY.search(place.expression)
        ]
