"""Finds users by the challenge of HTTP authentication: ``WWW-Authenticate: Basic``.

A page that refuses a stranger with such a challenge is asked again with what the application
knows (`sut.users.accounts`), and a person whom it lets in is a user.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any

from pytest_evosearch.core.http_words import REFUSING
from pytest_evosearch.sut.clients.client import Visit
from pytest_evosearch.sut.clients.client import plain_visit
from pytest_evosearch.sut.handle import User
from pytest_evosearch.sut.users.accounts import known_accounts
from pytest_evosearch.sut.users.accounts import known_tokens
from pytest_evosearch.sut.users.asking import Asker
from pytest_evosearch.sut.users.offered_users import basic_authorization

MOST_TRIES = 25
"""Credentials that are tried at most: this is a search for users, not for weak passwords."""

SCHEMES = ("basic", "bearer")

Credentials = tuple[str, Mapping[str, str]]
"""A name and the headers that go with it."""


def challenged_users(
    app: Any,
    most: int,
    visit: Visit = plain_visit,
) -> tuple[dict[str, User], str]:
    """Return at most `most` users by name and the scheme that lets them in.

    An application without accounts is not asked for anything.
    """
    known = {scheme: list(_credentials(app, scheme))[:MOST_TRIES] for scheme in SCHEMES}
    if not any(known.values()):
        return {}, ""
    asker = Asker(app, visit)
    challenge = _challenge(asker)
    if challenge is None:
        return {}, ""
    page, refusal, schemes = challenge
    for scheme in schemes:
        users: dict[str, User] = {}
        for name, headers in known[scheme]:
            if len(users) >= most:
                break
            if _is_let_in(asker, page, headers, refusal):
                users[name] = User(name, headers)
        if users:
            return users, f"HTTP {scheme.capitalize()}"
    return {}, ""


def user_name(identity: str) -> str:
    """Return a name for a user that is fit for Python, ``user_joe_example_org``."""
    word = re.sub(r"\W+", "_", identity).strip("_").lower()
    return f"user_{word[:30]}"


def _challenge(asker: Asker) -> tuple[str, int, Sequence[str]] | None:
    """Return a page that refuses strangers, by which status, and the schemes that it may ask for.

    A refusal without a challenge (Connexion 3) may ask for any.
    """
    for page in asker.paths("GET"):
        answer = asker.ask("GET", page)
        if answer is not None:
            named = [value for name, value in answer.headers if name.lower() == "www-authenticate"]
            scheme = (named or [""])[0].partition(" ")[0].lower()
            if scheme in SCHEMES:
                return page, answer.status, (scheme,)
            if not scheme and answer.status in REFUSING:
                return page, answer.status, SCHEMES
    return None


def _is_let_in(asker: Asker, page: str, headers: Mapping[str, str], refusal: int) -> bool:
    answer = asker.ask("GET", page, headers=list(headers.items()))
    return answer is not None and answer.status != refusal


def _credentials(app: Any, scheme: str) -> Iterator[Credentials]:
    if scheme == "basic":
        for account in known_accounts(app):
            yield user_name(account.name), basic_authorization(account.name, account.password)
    else:
        for number, token in enumerate(known_tokens(app), start=1):
            yield f"user_{number}", {"Authorization": f"Bearer {token}"}
