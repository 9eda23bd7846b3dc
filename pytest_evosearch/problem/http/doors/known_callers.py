"""The callers who were let in, and the owners of accounts who only look."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from pytest_evosearch.problem.http.doors.ascents import Step
from pytest_evosearch.problem.http.doors.callers import Account
from pytest_evosearch.problem.http.doors.callers import Caller
from pytest_evosearch.problem.http.doors.callers import Introduce
from pytest_evosearch.problem.http.doors.callers import Try
from pytest_evosearch.problem.http.doors.ways_in import WaysIn

MOST_OWNERS = 3
"""Most ways to an account that are tried at each endpoint while no caller is let in."""

MOST_CALLERS = 6
"""Most callers with keys of their own; each costs a climb."""


class KnownCallers:
    """Makes users of callers, and knows what each of them sends."""

    def __init__(
        self,
        ways_in: WaysIn,
        introduce: Introduce,
        attempt: Try,
        changed: Callable[[], None],
    ) -> None:
        self._introduce = introduce
        self._attempt = attempt
        self._ways_in = ways_in
        self._changed = changed
        """Is called when a caller was made a user: endpoints may now open."""
        self.admitted: dict[str, Caller] = {}
        """User -> the caller who was let in."""
        self.owners: dict[str, Caller] = {}
        """Users for looks only, whose account is created first."""

    @property
    def are_enough(self) -> bool:
        """Whether no further caller is made a user."""
        return len(self.admitted) >= MOST_CALLERS

    @property
    def texts(self) -> frozenset[str]:
        """The texts that the admitted callers send."""
        return frozenset().union(*(caller.texts for caller in self.admitted.values()))

    def first_owners(self) -> Iterator[str]:
        """Yield users for looks only, each the owner of an account that is made in another way."""
        firsts: dict[str, Account] = {}
        for account in self._ways_in.accounts():
            firsts.setdefault(account.maker, account)
        yield from self._owners_of(islice(firsts.values(), MOST_OWNERS))

    def persons(self, statements: Iterable[str]) -> Iterator[str]:
        """Yield users for looks only, each a row that one of the statements has not found."""
        found = (self._ways_in.person_of(statement) for statement in statements)
        yield from self._owners_of(account for account in found if account is not None)

    def _owners_of(self, accounts: Iterable[Account]) -> Iterator[str]:
        for account in accounts:
            caller = Caller(account=account)
            name = self._attempt(caller)
            if name is not None:
                self.owners[name] = caller
                yield name

    def of(self, user: str | None, step: Step | None = None) -> Caller:
        """Return what is known about a user, with the changes of a climb."""
        known = self.admitted.get(user or "") or self.owners.get(user or "") or Caller()
        if step is None:
            return known
        stored = (*known.stored, *step.stored)
        return replace(known, stored=stored, account=step.account or known.account)

    def up_to_date(self, account: Account) -> Account:
        """Return an account with everything now known about its values."""
        known = dict(account.values)
        for other in self._ways_in.accounts():
            if other.maker == account.maker:
                news = [pair for pair in other.values if pair[0] not in known]
                return replace(account, values=(*account.values, *news))
        return account

    def admit(self, caller: Caller) -> bool:
        """Make a user of a caller, and climb refusing endpoints again; say whether it is new."""
        if caller.account is not None:
            caller = replace(caller, account=self.up_to_date(caller.account))
        is_known = any(caller.is_like(known) for known in self.admitted.values())
        if is_known or self.are_enough:
            return False
        name = self._introduce(caller)
        if name is None:
            return False
        self.admitted[name] = caller
        self._changed()
        if caller.account is not None:
            for account in self._ways_in.accounts():
                is_alike = dict(account.values).keys() == dict(caller.account.values).keys()
                if is_alike and account.maker == caller.account.maker:
                    self.admit(replace(caller, account=account, name=""))
        return True
