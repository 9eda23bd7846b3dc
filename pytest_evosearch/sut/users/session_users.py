"""Logs in existing users of Flask-Login without their passwords.

The user loader knows the existing users, and ``login_user`` fills the session. A written test names
the user by the loader's identity, ``login_as(client, "2")``. When fixtures draw a new identity at
each run (a UUID for each user, ``fs_uniquifier`` of Flask-Security), it uses another column of the
user's row, ``login_as(client, email="ann@example.org")``.

Where views want the token of a user of Flask-Security (``auth_required("token")``), the client
sends it as well.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import field
from typing import Any

from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.deeds import Deed
from pytest_evosearch.sut.deeds import fixture_function
from pytest_evosearch.sut.handle import User
from pytest_evosearch.sut.users.accounts import NAME_COLUMNS
from pytest_evosearch.sut.users.found_users import free_name
from pytest_evosearch.sut.users.privileges import privilege
from pytest_evosearch.sut.users.privileges import role

USERS = 2
"""Number of users: enough to try to use another user's resources."""

CANDIDATES = 20
"""Most users among whom one with more rights than the first ones is searched."""

DRAWN = re.compile(r"[0-9a-f]{16,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
"""Form of a random identity."""

LOGIN_AS = '''\
@pytest.fixture
def login_as():
    """Log a client in as an existing user, without the password (Flask-Login)."""
    from flask import session
    from flask_login import login_user
{imported}
    def log_in(client, {parameter}):
        app = client.application
        with app.test_request_context(environ_base=client.environ_base):
            {logged_in}
            fields = dict(session)
        with client.session_transaction() as stored:
            stored.update(fields)

    return log_in
'''

LOADED = "app.login_manager._user_callback(user_id)"

WITH_TOKEN = """\
user = {loaded}
            login_user(user)
            client.environ_base["{header}"] = user.get_auth_token()"""


@dataclass(frozen=True)
class LogInAs:
    """Logs a client in by the fixture that written tests get for this."""

    source: str
    """The text of the fixture."""
    deed: Deed
    """The statement of a test that uses it."""

    def __call__(self, client: Any) -> None:
        """Log `client` in."""
        self.deed.run(login_as=fixture_function(self.source)(), client=client)


@dataclass
class _Known:
    """An existing user who may log in."""

    identity: str
    user_class: type
    name_columns: Mapping[str, str] = field(default_factory=dict)
    """Columns that identify the user, with their values, the best one first."""
    rank: int = 0
    role: str = ""
    """The role of the user, such as ``admin``; empty when unknown."""

    @property
    def called(self) -> tuple[str, str]:
        """Return the user's name or identity, in short (no host of an address) and whole."""
        name = next(iter(self.name_columns.values()), self.identity)
        return name.partition("@")[0] or name, name


def session_users(
    app: Any, client_fixture: str, identities: Iterable[str]
) -> tuple[dict[str, User], str]:
    """Return users by name and the source of the fixture that logs them in; ({}, "") for none."""
    load = getattr(getattr(app, "login_manager", None), "_user_callback", None)
    if load is None:
        return {}, ""
    chosen = _of_all_ranks(_who_exists(app, load, identities))
    if not chosen:
        return {}, ""
    column = _shared_column(chosen)
    header = _token_header(app, load, chosen[0])
    if column is None:
        source = LOGIN_AS.format(
            imported="", parameter="user_id", logged_in=_logged_in(LOADED, header)
        )
    else:
        source = _source_by_column(chosen[0].user_class, header)
    users = {}
    for name, known in _named(chosen).items():
        given = json.dumps(known.identity)
        if column is not None:
            given = f"{column}={json.dumps(known.name_columns[column])}"
        login = LogInAs(source, Deed((f"login_as(client, {given})",)))
        statement = f"login_as({client_fixture}, {given})"
        users[name] = User(name, login=login, fixtures=("login_as",), statement=statement)
    return users, source


def _token_header(app: Any, load: Callable[[Any], Any], known: _Known) -> str:
    """Return the WSGI name of the header for a token of Flask-Security; empty without tokens."""
    with suppress(Exception), app.test_request_context():
        if "security" in app.extensions and load(known.identity).get_auth_token():
            name = str(app.config["SECURITY_TOKEN_AUTHENTICATION_HEADER"])
            return f"HTTP_{name.upper().replace('-', '_')}"
    return ""


def _logged_in(loaded: str, header: str) -> str:
    if not header:
        return f"login_user({loaded})"
    return WITH_TOKEN.format(loaded=loaded, header=header)


def _named(chosen: Iterable[_Known]) -> dict[str, _Known]:
    """Return the users by their names in tests: a unique role, or a name.

    So a reader of ``as_admin`` knows the user's rights without looking the identity up.
    """
    known = list(chosen)
    roles = Counter(each.role for each in known)
    named: dict[str, _Known] = {}
    for each in known:
        alone = [each.role] if each.role and roles[each.role] == 1 else []
        words = [free_name(word, ()) for word in (*alone, *each.called)]
        free = [word for word in words if word not in named]
        named[free[0] if free else free_name(words[-1], named)] = each
    return named


def _source_by_column(user_class: type, header: str) -> str:
    module, model = user_class.__module__, user_class.__name__
    return LOGIN_AS.format(
        imported=f"    from {module} import {model}\n",
        parameter="**column",
        logged_in=_logged_in(f"{model}.query.filter_by(**column).one()", header),
    )


def _who_exists(app: Any, load: Callable[[Any], Any], identities: Iterable[str]) -> list[_Known]:
    """Return the existing users who may log in, each with a measure of rights."""
    found: dict[str, _Known] = {}
    for identity in identities:
        if len(found) >= CANDIDATES:
            break
        with suppress(Exception), app.test_request_context():
            user = load(identity)
            if user is not None and getattr(user, "is_active", True):
                found[identity] = known = _Known(identity, type(user))
                known.name_columns = dict(_name_columns(user))
                known.rank, known.role = privilege(user), role(user)
    return list(found.values())


def _name_columns(user: Any) -> list[tuple[str, str]]:
    """Return the unique columns of a user's row that hold a name or an address."""
    mapper = getattr(type(user), "__mapper__", None)
    if mapper is None or not _can_be_imported(type(user)) or not hasattr(type(user), "query"):
        return []
    unique = [each.key for each in mapper.column_attrs if each.columns[0].unique]
    values = [(name, getattr(user, name)) for name in unique]
    texts = [each for each in values if isinstance(each[1], str) and not DRAWN.search(each[1])]
    return sorted(texts, key=lambda each: _rank_of_column(each[0]))


def _rank_of_column(name: str) -> int:
    return NAME_COLUMNS.index(name) if name in NAME_COLUMNS else len(NAME_COLUMNS)


def _can_be_imported(found: type) -> bool:
    return getattr(sys.modules.get(found.__module__), found.__name__, None) is found


def _shared_column(chosen: Sequence[_Known]) -> str | None:
    """Return a column that distinguishes the users, None where identities are enough."""
    if not any(DRAWN.fullmatch(each.identity) for each in chosen):
        return None
    if len({each.user_class for each in chosen}) > 1:
        return None
    first = chosen[0].name_columns
    return next((name for name in first if all(name in each.name_columns for each in chosen)), None)


def _of_all_ranks(known: Sequence[_Known]) -> list[_Known]:
    """Return the first users, and one with more rights where there is one."""
    first = list(known[:USERS])
    mightiest = max(known, key=lambda one: one.rank, default=None)
    if mightiest is not None and all(one.rank < mightiest.rank for one in first):
        return [*first, mightiest]
    return first
