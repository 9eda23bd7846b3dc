"""Callers: who was found to be let in, and what each of their requests holds."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace
from typing import TypeAlias

from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import links_in
from pytest_evosearch.problem.http.learning.challenges import BasicGene


@dataclass(frozen=True)
class Stored:
    """A value that a database holds, and what is to stand in its place."""

    old: str
    new: str
    password: str = ""
    """Of which a library made the new value; empty where it was computed otherwise."""
    maker: str = ""
    """That library's function, ``werkzeug.security.generate_password_hash``."""


@dataclass(frozen=True)
class Account:
    """An account that the application makes itself."""

    maker: str
    """The command, function or model that makes it."""
    title: str = ""
    """What its owner may be called: a role."""
    values: tuple[tuple[str, object], ...] = ()
    """What it is made with: names, a password, a role."""
    password: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        """What a log-in may ask for, the password last."""
        texts = [value for _name, value in self.values if isinstance(value, str) and value]
        others = dict.fromkeys(text for text in texts if text != self.password)
        return (*others, *([self.password] if self.password else ()))

    def changed(self, old: str, new: str) -> Account | None:
        """Return the account with `new` in the place of `old`, None where it holds no such."""
        names = [
            name
            for name, value in self.values
            if (value == old and old != self.password)
            or (isinstance(value, tuple) and old in value)
        ]
        if not names:
            return None
        values = tuple(
            (name, _exchanged(value, old, new) if name in names else value)
            for name, value in self.values
        )
        title = new.partition("=")[2].partition(",")[0] or new
        return replace(self, title=title, values=values)


@dataclass(frozen=True)
class Caller:
    """A caller who is let in."""

    inputs: tuple[Input, ...] = ()
    """The credentials, which any call may hold."""
    stored: tuple[Stored, ...] = ()
    """What is put in their row first."""
    way: tuple[Call, ...] = ()
    """The calls that log them in, which leave cookies."""
    name: str = ""
    """What they are called, as far as a log-in tells."""
    account: Account | None = None
    """What the application makes first; None where they have an account anyway."""
    forgotten: tuple[str, ...] = ()
    """Cookies that are deleted after the log-in: they come back later."""

    @property
    def texts(self) -> frozenset[str]:
        """What had to be known."""
        known = frozenset(text for given in self.inputs for text in texts_of(given))
        known |= {one.old for one in self.stored if "\n" not in one.old}  # a file has more lines
        return known | {self.name} if self.name else known

    def is_like(self, other: Caller) -> bool:
        """Say whether both are let in by what is known of the same person."""
        if self.forgotten != other.forgotten:
            return False
        if self.inputs or other.inputs:
            mine, theirs = ((one.inputs, one.stored, one.account) for one in (self, other))
            return mine == theirs
        if [call.endpoint for call in self.way] != [call.endpoint for call in other.way]:
            return False
        if self.account or other.account:
            return self.account == other.account and self.stored == other.stored
        if self.name and other.name:
            return self.name == other.name
        return {one.old for one in self.stored} == {one.old for one in other.stored}


def reads_forms_alone(call: Call) -> bool:
    """Say whether all that a call takes from earlier answers are fields of forms."""
    links = (link for given in call.inputs for _path, link in links_in(given.gene))
    return all(link.selector[:1] == ("form",) for link in links)


Introduce: TypeAlias = "Callable[[Caller], str | None]"
"""Makes a user of a caller, and returns the name; None where users cannot be made."""

Try: TypeAlias = "Callable[[Caller], str | None]"
"""Makes a user for looks alone; None where a row that is to be changed is not found."""


Accounts: TypeAlias = "Callable[[], Sequence[Account]]"
"""Asks which accounts the application can make, the plainest first."""


def _exchanged(value: object, old: str, new: str) -> object:
    if isinstance(value, tuple):
        return tuple(new if each == old else each for each in value)
    return new


def no_accounts() -> Sequence[Account]:
    """Know of no account that can be made."""
    return ()


def no_users(_caller: object) -> None:
    """Make no user."""


def texts_of(given: Input) -> tuple[str, ...]:
    """Return the texts of a credential; two for name and password of HTTP Basic."""
    pair = pair_of(given)
    return pair if pair is not None else (str(given.gene.value()),)


def pair_of(given: Input) -> tuple[str, str] | None:
    """Return name and password of HTTP Basic, None for anything else."""
    gene = given.gene
    if isinstance(gene, BasicGene):
        return str(gene.user.value()), str(gene.password.value())
    return None


def sent_by_callers(individual: Individual, callers: Mapping[str, Caller]) -> Individual:
    """Return a test whose calls hold the keys of a caller as a test of that caller.

    It is returned as it is where it has a user already, or holds no such keys.
    """
    if any(call.user is not None for call in individual):
        return individual
    for name, caller in callers.items():
        if caller.inputs and not caller.stored and any(_holds(call, caller) for call in individual):
            relieved = (_without(call, caller) for call in individual)
            return Individual(tuple(replace(call, user=name) for call in relieved))
    return individual


def _holds(call: Call, caller: Caller) -> bool:
    held = {given.key: str(given.gene.value()) for given in call.inputs}
    return all(held.get(one.key) == str(one.gene.value()) for one in caller.inputs)


def _without(call: Call, caller: Caller) -> Call:
    for given in caller.inputs:
        call = call.without_input(given.key)
    return call


def renamed_users(individual: Individual, names: Mapping[str, str]) -> Individual:
    """Return a test with other names of the users who send its calls."""
    if all(
        call.user is None or names.get(call.user, call.user) == call.user for call in individual
    ):
        return individual
    calls = (
        replace(call, user=names.get(call.user, call.user)) if call.user else call
        for call in individual
    )
    return Individual(tuple(calls))
