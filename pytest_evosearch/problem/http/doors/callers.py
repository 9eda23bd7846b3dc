"""Callers whom the application lets in, and the credentials that their requests hold."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.genes.uploads import FileGene
from pytest_evosearch.genes.visit import walk_values
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import links_in
from pytest_evosearch.problem.http.learning.challenges import BasicGene


@dataclass(frozen=True)
class Stored:
    """A value in a database, and the value that replaces it."""

    old: str | bytes
    new: str | bytes
    password: str = ""
    """The password that a library hashed; empty where the value was computed otherwise."""
    maker: str = ""
    """The function of that library, ``werkzeug.security.generate_password_hash``."""


@dataclass(frozen=True)
class Account:
    """An account that the application makes itself."""

    maker: str
    """The command, function or model that creates the account."""
    title: str = ""
    """A title of the owner: a role."""
    values: tuple[tuple[str, object], ...] = ()
    """The values that create the account: names, a password, a role."""
    password: str = ""
    is_logged_in: bool = False
    """Whether the owner is logged in, without a request."""

    @property
    def texts(self) -> tuple[str, ...]:
        """Texts that a log-in may ask for, the password last."""
        texts = [value for _name, value in self.values if isinstance(value, str) and value]
        others = dict.fromkeys(text for text in texts if text != self.password)
        return (*others, *([self.password] if self.password else ()))

    def texts_under(self, column: str) -> tuple[str, ...]:
        """Return the text of a column, where the account is a row; else all texts."""
        values = dict(self.values)
        held = values.get(column)
        return (held,) if isinstance(held, str) and held else self.texts

    def hashed(self, stored: Stored) -> Account | None:
        """Return the account with the hash of a password in the place of a text, None without."""
        names = [name for name, value in self.values if value == stored.old]
        if not names:
            return None
        values = ((name, stored if name in names else value) for name, value in self.values)
        return replace(self, values=tuple(values), password=stored.password)

    def changed(self, old: str, new: str) -> Account | None:
        """Return the account with `new` in the place of `old`, None where it holds no `old`."""
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
    """A caller whom the application lets in."""

    inputs: tuple[Input, ...] = ()
    """The credentials, which any call may hold."""
    stored: tuple[Stored, ...] = ()
    """Values to replace in the caller's row first."""
    way: tuple[Call, ...] = ()
    """The calls that log the caller in; they leave cookies."""
    name: str = ""
    """Name of the caller, as far as a log-in shows it."""
    account: Account | None = None
    """The account to create first; None where the caller has one already."""

    @property
    def texts(self) -> frozenset[str]:
        """The secret texts that let the caller in."""
        known = frozenset(text for given in self.inputs for text in texts_of(given))
        olds = {one.old for one in self.stored if isinstance(one.old, str)}
        known |= {old for old in olds if "\n" not in old}  # a file has more lines
        return known | {self.name} if self.name else known

    def is_like(self, other: Caller) -> bool:
        """Say whether both callers use credentials of one person."""
        if self.inputs or other.inputs:
            return self.account == other.account and self._proof == other._proof
        if self.account or other.account:
            is_same_way = [each.endpoint for each in self.way] == [
                each.endpoint for each in other.way
            ]
            return is_same_way and self.account == other.account and self._rows == other._rows
        if self.name and other.name:
            return self.name == other.name
        if [call.endpoint for call in self.way] != [call.endpoint for call in other.way]:
            return False
        return self._rows == other._rows

    @property
    def _rows(self) -> frozenset[str | bytes]:
        """Which columns of which row are replaced, without the new values."""
        return frozenset(one.old for one in self.stored)

    @property
    def _proof(self) -> object:
        """The part of the credentials that identifies the person.

        Where the row of the person gets the hash of any password, the password is not part of it.
        """
        in_file = any(isinstance(old, str) and "\n" in old for old in self._rows)
        pairs = [pair_of(given) for given in self.inputs]
        if not self.stored or (in_file and not any(pairs)):
            return self.inputs, self.stored
        names = [None if pair is None else pair[0] for pair in pairs]
        return self._rows, tuple(zip([given.key for given in self.inputs], names, strict=True))


def can_log_in(call: Call) -> bool:
    """Say whether a fixture can repeat a call: it sends no file, and reads nothing but forms."""
    genes = [gene for given in call.inputs for _path, _at, gene in walk_values(given.gene)]
    links = (link for given in call.inputs for _path, link in links_in(given.gene))
    sends_file = any(isinstance(gene, FileGene) for gene in genes)
    return not sends_file and all(link.selector[:1] == ("form",) for link in links)


Introduce: TypeAlias = "Callable[[Caller], str | None]"
"""Makes a user of a caller and returns the name; None where this is impossible."""

Try: TypeAlias = "Callable[[Caller], str | None]"
"""Makes a user for trials only; None where a row to change is not found."""


Accounts: TypeAlias = "Callable[[], Sequence[Account]]"
"""Returns the accounts that the application can create, the simplest first."""


PersonOf: TypeAlias = "Callable[[str], Account | None]"
"""Takes a statement that has found no one; returns an account that is a row of its table."""


def _exchanged(value: object, old: str, new: str) -> object:
    if isinstance(value, tuple):
        return tuple(new if each == old else each for each in value)
    return new


def no_accounts() -> Sequence[Account]:
    """Return no account."""
    return ()


def no_users(_caller: object) -> None:
    """Make no user."""


def texts_of(given: Input) -> tuple[str, ...]:
    """Return the texts of a credential: name and password for HTTP Basic."""
    pair = pair_of(given)
    return pair if pair is not None else (str(given.gene.value()),)


def pair_of(given: Input) -> tuple[str, str] | None:
    """Return name and password of HTTP Basic, None for any other credential."""
    gene = given.gene
    if isinstance(gene, BasicGene):
        return str(gene.user.value()), str(gene.password.value())
    return None


def sent_by_callers(individual: Individual, callers: Mapping[str, Caller]) -> Individual:
    """Return a test as a test of a caller when its calls hold the keys of this caller.

    Return it unchanged where it already has a user, or holds no caller's keys.
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
    """Return a test with other names for the users who send its calls."""
    if all(
        call.user is None or names.get(call.user, call.user) == call.user for call in individual
    ):
        return individual
    calls = (
        replace(call, user=names.get(call.user, call.user)) if call.user else call
        for call in individual
    )
    return Individual(tuple(calls))
