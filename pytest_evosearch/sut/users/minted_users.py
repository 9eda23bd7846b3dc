"""Creates log-ins for existing users, without their passwords.

    Flask-Login           see `sut.users.session_users`
    Flask-JWT-Extended    an access token is signed with the application's own key

Users who have to send a password or a key are found by the search (`problem.http.doors`).
A written test acts as this user through a fixture of its folder's conftest.py.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from types import SimpleNamespace
from typing import Any

from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.deeds import fixture_function
from pytest_evosearch.sut.handle import User
from pytest_evosearch.sut.users.accounts import known_identities
from pytest_evosearch.sut.users.accounts import user_name
from pytest_evosearch.sut.users.fresh_headers import FreshHeaders
from pytest_evosearch.sut.users.session_users import session_users

IDENTITIES = ("1", "2", "3")
"""Identities to try first, in this order: users mostly have numbers."""

TOKEN_HEADERS = '''\
@pytest.fixture
def token_headers({client}):
    """Headers of the user whose identity is {identity} (Flask-JWT-Extended)."""
    from flask_jwt_extended import create_access_token

    with {client}.application.test_request_context():
        token = create_access_token(identity={identity}, fresh=True)
    return {{"{header}": f"{prefix}{{token}}"}}
'''


@dataclass(frozen=True)
class MintedUsers:
    """Users, and the sources of fixtures that let written tests act as them."""

    users: Mapping[str, User]
    sources: tuple[str, ...]
    description: str = ""


def mint_users(app: Any, client_fixture: str = "client") -> MintedUsers:
    """Return log-ins for existing users of `app`; none when no way works."""
    for mint in (_session_users, _token_users):
        with suppress(Exception):
            minted = mint(app, client_fixture)
            if minted.users:
                return minted
    return MintedUsers({}, ())


def _session_users(app: Any, client_fixture: str) -> MintedUsers:
    users, source = session_users(app, client_fixture, _identities(app))
    if not users:
        return MintedUsers({}, ())
    return MintedUsers(users, (source,), f"existing {', '.join(users)} (Flask-Login)")


def _identities(app: Any) -> Iterator[str]:
    """Yield possible identities of users: small numbers, then stored values about users."""
    yield from IDENTITIES
    with suppress(Exception):
        yield from (each for each in known_identities(app) if each not in IDENTITIES)


def _token_users(app: Any, client_fixture: str) -> MintedUsers:
    manager = app.extensions.get("flask-jwt-extended")
    if manager is None or not _reads_headers(app):
        return MintedUsers({}, ())
    header = str(app.config["JWT_HEADER_NAME"])
    kind = str(app.config["JWT_HEADER_TYPE"])
    prefix = f"{kind} " if kind else ""
    identity = _first_identity(app, getattr(manager, "_user_lookup_callback", None))

    source = TOKEN_HEADERS.format(
        client=client_fixture, identity=json.dumps(identity), header=header, prefix=prefix
    )
    sign = partial(fixture_function(source), SimpleNamespace(application=app))
    name = user_name(identity)
    user = User(
        name,
        FreshHeaders(sign),
        fixtures=("token_headers",),
        headers_expression="token_headers",
    )
    return MintedUsers({name: user}, (source,), f"token of {name} (Flask-JWT-Extended)")


def _reads_headers(app: Any) -> bool:
    locations = app.config.get("JWT_TOKEN_LOCATION", ())
    return "headers" in ([locations] if isinstance(locations, str) else list(locations))


def _first_identity(app: Any, look_up: Callable[[Any, Any], Any] | None) -> str:
    """Return the first identity with an existing user; without a loader, any token is valid."""
    for identity in _identities(app) if look_up is not None else ():
        assert look_up is not None
        with suppress(Exception), app.test_request_context():
            if look_up({}, {app.config.get("JWT_IDENTITY_CLAIM", "sub"): identity}) is not None:
                return identity
    return IDENTITIES[0]
