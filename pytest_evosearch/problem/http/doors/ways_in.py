"""What the host does and knows for callers; it is set once the application is loaded."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from typing import TypeAlias

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.problem.http.doors.callers import Accounts
from pytest_evosearch.problem.http.doors.callers import Introduce
from pytest_evosearch.problem.http.doors.callers import PersonOf
from pytest_evosearch.problem.http.doors.callers import Try
from pytest_evosearch.problem.http.doors.callers import no_accounts
from pytest_evosearch.problem.http.doors.callers import no_users
from pytest_evosearch.problem.http.exchanges.exchange import Request

Resign: TypeAlias = "Callable[[Comparison], Iterable[tuple[str, str]]]"
"""Takes a comparison; returns pairs of a sent token and its replacement."""

ValuesUnder: TypeAlias = "Callable[[str, str], Iterable[object]]"
"""Takes a column and a statement; returns what the column of the statement's tables holds."""


@dataclass
class WaysIn:
    """Functions that make users, and tell what the application keeps and signs."""

    introduce: Introduce = no_users
    """Makes a user of a caller whom the search found to be let in."""
    attempt: Try = no_users
    """Makes a user for looks only, whose account or rows are created for them."""
    accounts: Accounts = no_accounts
    """Returns the accounts that the application can create."""
    person_of: PersonOf = no_users
    """Returns the account that is a row, where a statement has found no one."""
    signs: Callable[[str], bool] = lambda _text: False
    """Says whether a text is a signature with a key of the application."""
    way_of: Callable[[Request, str], object] = lambda _request, _name: None
    """Says how an input signs its request, None where it does not."""
    resign: Resign = lambda _comparison: ()
    """Returns tokens with other claims, where a claim was compared."""
    kept: Callable[[], Iterable[str | bytes]] = tuple
    """Returns the texts and bytes that the application keeps in memory and in files."""
    values_under: ValuesUnder = lambda _column, _statement: ()
    """Returns what a column of the tables in a statement holds."""
