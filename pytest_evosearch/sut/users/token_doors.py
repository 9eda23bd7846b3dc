"""Logs in users whom an application creates itself, where a log-in returns a token.

    for each endpoint that is called like a log-in
        for each name of a person, in the fields that usually hold such a name
            a response with a token, which a wrong password does not get, is a log-in
    for each page, those first that refuse strangers
        the token as it is usually sent, until one way changes the response, which others do not

A result has the form of an entry in an authentication document, see `sut.users.wfc_users`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.vocabulary import LOGIN_NAME
from pytest_evosearch.sut.clients.client import RawResponse
from pytest_evosearch.sut.users.accounts import Person
from pytest_evosearch.sut.users.asking import Asker

LOG_IN_NAMES = re.compile(r"log[-_]?in|sign[-_]?in|auth|session|token", re.IGNORECASE)
"""Words in the address of a log-in."""

ANOTHER_PASSWORD = "no-such-password"
ANOTHER_TOKEN = "no-such-token"

NAME_FIELDS = (*LOGIN_NAME.words()[:4], "name")
"""Fields for a name; a name with ``@`` goes into the second one first."""

MOST_DOORS = 5
"""Most endpoints that are tried, and most people at each, until one is let in."""

DEEPEST = 2
"""Most objects around a token: ``{"data": {"token": "..."}}``."""

WAYS = (
    ("Authorization", "Bearer {token}"),
    ("Authorization", "{token}"),
    ("Authorization", "JWT {token}"),
    ("Authorization", "Token {token}"),
    ("x-access-token", "{token}"),
    ("x-auth-token", "{token}"),
    ("x-api-key", "{token}"),
)
"""Ways to send a token, the likeliest first."""

_TOKEN = re.compile(r"token|jwt|access", re.IGNORECASE)
_OK = 200

Entry = Mapping[str, Any]


@dataclass(frozen=True)
class _TokenDoor:
    """An endpoint, the field for a name, and the place of the token in the response."""

    path: str
    field: str
    steps: tuple[str, ...]


def token_entries(asker: Asker, people: Iterable[Person]) -> Iterator[Entry]:
    """Yield an entry for each of `people` who gets a working token from a log-in."""
    people = list(people)
    doors = filter(LOG_IN_NAMES.search, asker.paths("POST", LOG_IN_NAMES))
    for path in islice(doors, MOST_DOORS):
        for person in people[:MOST_DOORS]:
            door, token = _opened(asker, path, person)
            if door is not None:
                way = _way_in(asker, token)
                if way is not None:
                    yield from _entries(asker, door, people, way)
                return


def _entries(
    asker: Asker, door: _TokenDoor, people: Iterable[Person], way: tuple[str, str]
) -> Iterator[Entry]:
    header, template = way
    for person in people:
        for name in person.names:
            if _token(asker, door.path, door.field, name, person.password) is not None:
                yield {
                    "name": name.partition("@")[0],
                    "loginEndpointAuth": {
                        "endpoint": door.path,
                        "payloadUserPwd": {
                            "usernameField": door.field,
                            "passwordField": "password",
                            "username": name,
                            "password": person.password,
                        },
                        "token": {
                            "extractFrom": "body",
                            "extractSelector": "/" + "/".join(door.steps),
                            "sendName": header,
                            "sendFormat": template,
                        },
                    },
                }
                break


def _opened(asker: Asker, path: str, person: Person) -> tuple[_TokenDoor | None, str]:
    """Return the log-in at `path` and the token of a person; (None, "") when it is none."""
    for name in person.names:
        for field in sorted(NAME_FIELDS, key=lambda field: (field == "email") != ("@" in name)):
            found = _token(asker, path, field, name, person.password)
            if found and not _token(asker, path, field, name, ANOTHER_PASSWORD):
                steps, token = found
                return _TokenDoor(path, field, steps), token
    return None, ""


def _token(
    asker: Asker, path: str, field: str, name: str, password: str
) -> tuple[tuple[str, ...], str] | None:
    answer = asker.ask("POST", path, json={field: name, "password": password})
    if answer is None or not _is_served(answer):
        return None
    with suppress(ValueError):
        found = sorted(_tokens(json.loads(answer.body)), key=lambda one: "refresh" in one[0][-1])
        return found[0] if found else None
    return None


def _tokens(value: object, steps: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield places and values of possible tokens."""
    if isinstance(value, dict) and len(steps) <= DEEPEST:
        for key, each in value.items():
            if isinstance(each, str) and each and _TOKEN.search(key):
                yield (*steps, key), each
            yield from _tokens(each, (*steps, key))


def _way_in(asker: Asker, token: str) -> tuple[str, str] | None:
    """Return a header and its format with which a page is served that needs it."""
    pages = {page: asker.ask("GET", page) for page in asker.paths("GET")}
    for page, answer in sorted(pages.items(), key=lambda one: _is_served(one[1])):
        if answer is None or _differ(answer, asker.ask("GET", page)):
            continue
        for header, template in WAYS:
            if _opens(asker, page, answer, header, template, token):
                return header, template
    return None


def _opens(
    asker: Asker, page: str, refusal: RawResponse, header: str, template: str, token: str
) -> bool:
    """Say whether a token changes the response of a page, and another token does not."""
    admitted = asker.ask("GET", page, headers=[(header, template.format(token=token))])
    if not _is_served(admitted) or not _differ(refusal, admitted):
        return False
    spoilt = asker.ask("GET", page, headers=[(header, template.format(token=ANOTHER_TOKEN))])
    return _differ(spoilt, admitted)


def _is_served(answer: RawResponse | None) -> bool:
    return answer is not None and _OK <= answer.status < FIRST_REFUSAL


def _differ(one: RawResponse | None, other: RawResponse | None) -> bool:
    """Say whether two responses differ for a caller."""
    if one is None or other is None:
        return one is not other
    return (one.status, one.body) != (other.status, other.body)
