"""Chooses the client of each call: one for each user who logs in, one for anonymous calls."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import NOBODY
from pytest_evosearch.problem.http.exchanges.individual import STRANGER
from pytest_evosearch.sut.handle import User
from pytest_evosearch.write.content.written_calls import Unwritable

ANONYMOUS = "anonymous"
"""Variable of a second client, for anonymous calls after a user has logged in."""

OTHERS = ("other", "third")
"""Variables of further clients, for users who log in after the first one."""

_OWN_CLIENTS = {NOBODY: ANONYMOUS, STRANGER: "stranger"}


@dataclass(frozen=True)
class Person:
    """The client of a call, and the statements before the call."""

    client: str
    before: tuple[str, ...] = ()


def people_of(
    exchanges: Sequence[Exchange], accounts: Sequence[User | None], client: str
) -> list[Person]:
    """Return the person behind every call; `client` is the name of the client fixture.

    Each user logs in once, and anonymous calls stay anonymous. Raise `Unwritable` when the log-in
    of a second user only works with the fixture's client.
    """
    sharing = {one.name for one in accounts if one is not None and one.shares_client}
    if len(sharing) > 1:
        raise Unwritable("it needs two users who log in, and there is one client")
    book = _Book(client, is_taken=bool(sharing))
    return [book.person(one, account) for one, account in zip(exchanges, accounts, strict=True)]


class _Book:
    """Remembers the client of each user."""

    def __init__(self, client: str, *, is_taken: bool) -> None:
        self._client = client
        self._is_taken = is_taken
        """Whether a fixture logs the client in before the first call."""
        self._clients: dict[str, str] = {}
        """User who logs in -> variable of the client."""
        self._made: set[str] = set()

    def person(self, exchange: Exchange, account: User | None) -> Person:
        """Return the person who sends a call, after the earlier calls."""
        user = exchange.user
        own = _OWN_CLIENTS.get(user) if user is not None else None
        if own is not None:
            return self._with_own_client(own)
        if account is not None and account.client is not None:
            return Person(account.client)
        statement = account.statement if account is not None else None
        if statement is None:
            stays_anonymous = account is None and (self._is_taken or bool(self._clients))
            return self._with_own_client(ANONYMOUS) if stays_anonymous else Person(self._client)
        assert user is not None
        known = self._clients.get(user)
        if known is not None:
            return Person(known)
        if not self._clients:
            self._clients[user] = self._client
            return Person(self._client, (statement,))
        return self._another(user, statement)

    def _another(self, user: str, statement: str) -> Person:
        if len(self._clients) > len(OTHERS):
            raise Unwritable("it needs more users who log in than a test can show")
        variable = OTHERS[len(self._clients) - 1]
        mention = rf"(?<![\w.\"']){re.escape(self._client)}(?![\w\"'])"
        changed, count = re.subn(mention, variable, statement)
        if not count:
            raise Unwritable("it needs two users who log in, and there is one client")
        self._clients[user] = variable
        return Person(variable, (self._fresh(variable), changed))

    def _with_own_client(self, variable: str) -> Person:
        if variable in self._made:
            return Person(variable)
        self._made.add(variable)
        return Person(variable, (self._fresh(variable),))

    def _fresh(self, variable: str) -> str:
        return f"{variable} = {self._client}.application.test_client()"
