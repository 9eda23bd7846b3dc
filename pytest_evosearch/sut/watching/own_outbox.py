"""Letters that an application stores instead of sending them: in a list, a dict, a file, a table.

Many applications send no mail in tests. They append the letter to ``app.outbox``, or store the
code that they would send. A new text counts as such a letter if a changing call leaves it in a
place that tests can read. Parts that were in a request or response are not news
(`problem.http.learning`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Iterable
from typing import Protocol

from pytest_evosearch.core.http_words import SAFE
from pytest_evosearch.sut.watching.outbox import SentMail

MOST_PLACES = 200_000
"""Most places that a run looks at where no call needs text from a letter."""

MOST_LETTERS = 16

SHORTEST_LETTER, LONGEST_LETTER = 4, 10_000


_DRAWN_KEY = re.compile(r'\["(?![^"]*@)(?=[^"]*\d)[^"]{8,}"\]')
"""A key that looks random: a test cannot find its place again."""


class Place(Protocol):
    """The part of `sut.users.origins.Place` that is used here."""

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
    """The part of `sut.watching.outbox.Outbox` that is used here."""

    def begin(self, endpoint: str) -> None:
        """Forget what was sent."""
        ...

    def take(self) -> list[SentMail]:
        """Return what was sent since `begin`."""
        ...


class OwnOutbox:
    """Returns the letters that an application stores, in addition to those that it sends."""

    def __init__(
        self, places: Callable[[], Iterable[Place]], mailbox: Mailbox | None = None
    ) -> None:
        self._places = places
        self._mailbox = mailbox
        self.rows: Callable[[], Iterable[Place]] = tuple
        """Returns the texts in rows of databases, as places."""
        self._baseline: frozenset[str] | None = None
        self._known: set[str] = set()
        """Texts that earlier calls of the test stored."""
        self._left = MOST_PLACES
        self._expects: Callable[[], bool] = bool
        self._endpoint = ""

    def begin_test(self) -> None:
        """Forget the letters of earlier calls: the state of the application was restored."""
        self._known.clear()

    def expect(self, letters: Callable[[], bool]) -> None:
        """Look for letters in the next test in any case, if its calls send text from letters.

        `letters` says so; it is asked only where this decides.
        """
        self._expects = letters

    def begin(self, endpoint: str) -> None:
        """Prepare for a call."""
        self._endpoint = endpoint
        if self._baseline is None:
            self._baseline = frozenset(text for text, _place in self._stored_texts())
        if self._mailbox is not None:
            self._mailbox.begin(endpoint)

    def take(self) -> list[SentMail]:
        """Return the letters of the call, the sent ones last."""
        sent = self._mailbox.take() if self._mailbox is not None else []
        changes = self._endpoint.partition(" ")[0] not in SAFE
        if not changes or not (self._left > 0 or self._expects()):
            return sent
        known = (self._baseline or frozenset()) | self._known
        new = [(text, place) for text, place in self._stored_texts() if text not in known]
        self._known.update(text for text, _place in new)
        letters = [
            SentMail(text, "", False, place.expression, place.imports) for text, place in new
        ]
        found = list({letter.body.strip(): letter for letter in reversed(letters)}.values())[::-1]
        return [*found[-MOST_LETTERS:], *sent]

    def _stored_texts(self) -> list[tuple[str, Place]]:
        """Return the texts that the application keeps now, with their places."""
        kept = [*self._places(), *self.rows()]
        self._left -= len(kept)
        return [
            (text, place)
            for place in kept
            if isinstance(text := place.value, str)
            and SHORTEST_LETTER <= len(text) <= LONGEST_LETTER
            and not _DRAWN_KEY.search(place.expression)
        ]
