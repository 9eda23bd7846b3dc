"""People whom an application knows: identities in rows and dicts of users.

The comparisons of a search cannot tell them: a loader of users (Flask-Login, Flask-JWT-Extended) is
asked for an identity that a signed session or token holds, and no request shows another one.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from pytest_evosearch.core.vocabulary import LOGIN_NAME
from pytest_evosearch.core.vocabulary import PERSON
from pytest_evosearch.sut.living import named_values
from pytest_evosearch.sut.state.sqlite_places import rows_by_database
from pytest_evosearch.sut.watching.sqlite_connections import active_connections

MOST_IDENTITIES = 60
"""Most identities that are tried; each costs a look-up."""

LONGEST_NAME = 100
"""Most characters of a name or key of an example user."""

NAME_COLUMNS = (*LOGIN_NAME.words(), "name")
"""Columns that name a user, the best one first."""


def known_identities(app: Any) -> list[str]:
    """Return possible identities of users: values of user rows, keys of user dicts."""
    found: dict[str, None] = {}
    for rows in rows_by_database(app, _modules_of(app), active_connections()):
        for table, row in rows:
            if _is_about_users(table):
                found.update((str(value), None) for value in row.values() if _is_short(value))
    for name, mapping in _mappings(app):
        if _is_about_users(name):
            found.update((str(key), None) for key in mapping if _is_short(key))
    return list(found)[:MOST_IDENTITIES]


def _mappings(app: Any) -> Iterator[tuple[str, Mapping[Any, Any]]]:
    """Yield the dicts in globals of the application's modules, with their names."""
    for _module, name, value in named_values(_modules_of(app)):
        if type(value) is dict and value:
            yield name, value


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
