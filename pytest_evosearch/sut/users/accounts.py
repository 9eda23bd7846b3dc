"""People whom an application knows: stored identities and passwords.

    databases         rows of tables of users; a hash that was made in this run tells its password
    module globals    ``users = {"john": generate_password_hash("hello")}``,
                      ``[{"username": "john", "password": "hello"}]``

This module sends nothing; `sut.users.minted_users` and the modules that it names try the log-ins.
"""

from __future__ import annotations

import re
import sqlite3
import sys
from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import closing
from contextlib import suppress
from dataclasses import dataclass
from dataclasses import field
from types import ModuleType
from typing import Any

from pytest_evosearch.core.vocabulary import PASSWORD
from pytest_evosearch.core.vocabulary import PERSON
from pytest_evosearch.core.vocabulary import Certainty
from pytest_evosearch.sut.shortcuts.password_hashing import hashed_passwords
from pytest_evosearch.sut.state.sqlite_places import find_databases
from pytest_evosearch.sut.state.sqlite_state import FileDatabase
from pytest_evosearch.sut.state.sqlite_values import stored_rows
from pytest_evosearch.sut.watching.sqlite_connections import active_connections
from pytest_evosearch.sut.watching.sqlite_connections import connect_directly

MOST_IDENTITIES = 60
"""Most identities that are tried; each costs a look-up."""

LONGEST_NAME = 100
"""Most characters of a name or key of an example user."""

_HASHED = ("$", "pbkdf2:", "scrypt:", "sha256$")
"""Prefixes of hashes: a hash from another run is no password."""

NAME_COLUMNS = ("username", "email", "login", "user", "name", "nickname", "mail")
"""Columns that name a user, the best one first."""


@dataclass(frozen=True)
class Person:
    """A person with a password, and everything stored beside it."""

    names: tuple[str, ...]
    """Names that a log-in may ask for, the best one first."""
    password: str
    row: Mapping[str, object] = field(default_factory=dict, compare=False)


def known_identities(app: Any) -> list[str]:
    """Return possible identities of users: values of user rows, keys of user dicts."""
    found: dict[str, None] = {}
    for table, row in _rows(app):
        if _is_about_users(table):
            found.update((str(value), None) for value in row.values() if _is_short(value))
    for name, mapping in _mappings(app):
        if _is_about_users(name):
            found.update((str(key), None) for key in mapping if _is_short(key))
    return list(found)[:MOST_IDENTITIES]


def known_people(app: Any) -> list[Person]:
    """Return people with a name and a password: from database rows, then from module globals."""
    passwords = hashed_passwords()
    found = [
        person
        for row in (*(row for _table, row in _rows(app)), *_records(app))
        for person in (*_of_row(row, passwords), *_with_plain_password(row))
    ]
    for name, mapping in _mappings(app):
        texts = ((key, value) for key, value in mapping.items() if _are_texts(key, value))
        for key, value in texts:
            if value in passwords or _is_about_users(name):
                found.append(Person((key,), passwords.get(value, value)))
    return list(dict.fromkeys(found))


def hashed_people(app: Any) -> list[Person]:
    """Return people with a name and a hash from an earlier run in place of the password."""
    found = [
        Person(names, value, row)
        for _table, row in _rows(app)
        for value in row.values()
        if isinstance(value, str) and value.startswith(_HASHED) and (names := _names_in(row))
    ]
    return list(dict.fromkeys(found))


def _of_row(row: Mapping[str, object], passwords: Mapping[str, str]) -> Iterator[Person]:
    for value in row.values():
        if isinstance(value, str) and value in passwords and (names := _names_in(row)):
            yield Person(names, passwords[value], row)


def _with_plain_password(row: Mapping[str, object]) -> Iterator[Person]:
    for column in PASSWORD.words(Certainty.LIKELY):
        value = row.get(column)
        is_plain = isinstance(value, str) and _is_short(value) and not value.startswith(_HASHED)
        if is_plain and (names := _names_in(row)):
            yield Person(names, str(value), row)


def _names_in(row: Mapping[str, object]) -> tuple[str, ...]:
    values = (row.get(column) for column in NAME_COLUMNS)
    return tuple(value for value in values if isinstance(value, str) and value)


def _rows(app: Any) -> Iterator[tuple[str, Mapping[str, object]]]:
    for database in find_databases(app, _modules_of(app), active_connections()):
        with suppress(sqlite3.Error):
            if isinstance(database, FileDatabase):
                with closing(connect_directly(str(database.path), timeout=0.1)) as connection:
                    yield from stored_rows(connection)
            else:
                yield from stored_rows(database.connection)


def _mappings(app: Any) -> Iterator[tuple[str, Mapping[Any, Any]]]:
    """Yield the dicts in globals of the application's modules, with their names."""
    for module in _modules_of(app):
        for name, value in list(vars(module).items()):
            if type(value) is dict and not name.startswith("__") and value:
                yield name, value


def _records(app: Any) -> Iterator[Mapping[str, object]]:
    """Yield row-like values: dicts in lists, and dicts in dicts with their keys as names."""
    for module in _modules_of(app):
        for value in list(vars(module).values()):
            if type(value) is list:
                yield from (each for each in value if type(each) is dict)
    for _name, mapping in _mappings(app):
        for key, each in mapping.items():
            if type(each) is dict and isinstance(key, str):
                yield {**each, NAME_COLUMNS[0]: each.get(NAME_COLUMNS[0], key)}


def _modules_of(app: Any) -> list[ModuleType]:
    """Return the modules of the application's views and of the application itself."""
    names: dict[str, None] = {str(app.import_name): None}
    for view in app.view_functions.values():
        names[str(getattr(view, "__module__", ""))] = None
    found = [sys.modules[name] for name in names if name in sys.modules]
    return [module for module in found if not _is_installed(module)]


def _is_installed(module: ModuleType) -> bool:
    path = str(getattr(module, "__file__", "") or "")
    return "site-packages" in path or "dist-packages" in path


def _are_texts(*values: object) -> bool:
    return all(isinstance(value, str) and _is_short(value) for value in values)


def _is_about_users(name: str) -> bool:
    return any(word in name.lower() for word in (*PERSON.words(), "admin"))


def _is_short(value: object) -> bool:
    if isinstance(value, str):
        return 0 < len(value) <= LONGEST_NAME
    return isinstance(value, int) and not isinstance(value, bool)


def user_name(identity: str) -> str:
    """Return a valid Python name for a user, ``user_joe_example_org``."""
    word = re.sub(r"\W+", "_", identity).strip("_").lower()
    return f"user_{word[:30]}"
