"""Logs in users whom an application creates itself, mostly through its log-in form.

Many applications start with some accounts: an administrator, a user of each role. With a session of
their own (``session["user_id"]``), no extension shows how to log a user in. But the password of a
hash from this run is known (`sut.users.accounts`), or the source contains it
(`sut.users.password_guesses`), and a page has the form:

    for each page without arguments, those of log-ins first
        for each of its forms with one name and one password
            a person whom it lets in, and not with another password, is a user

Of users with equal rights (equal columns of rights, one page after the log-in) two are taken, which
is enough to try to use resources of others. Where no form lets a user in, `sut.users.token_doors`
searches a log-in that returns a token.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any
from typing import TypeVar

from pytest_evosearch.core.isolation import json
from pytest_evosearch.sut.clients.client import RawResponse
from pytest_evosearch.sut.clients.client import Visit
from pytest_evosearch.sut.clients.client import send
from pytest_evosearch.sut.handle import User
from pytest_evosearch.sut.users.accounts import Person
from pytest_evosearch.sut.users.accounts import hashed_people
from pytest_evosearch.sut.users.accounts import known_people
from pytest_evosearch.sut.users.accounts import user_name
from pytest_evosearch.sut.users.asking import Asker
from pytest_evosearch.sut.users.form_doors import FormDoor
from pytest_evosearch.sut.users.form_doors import form_doors
from pytest_evosearch.sut.users.password_guesses import with_guessed_passwords
from pytest_evosearch.sut.users.privileges import MIGHTY
from pytest_evosearch.sut.users.privileges import RIGHTS
from pytest_evosearch.sut.users.token_doors import ANOTHER_PASSWORD
from pytest_evosearch.sut.users.token_doors import token_entries
from pytest_evosearch.sut.users.wfc_users import user_of_entry

MOST_TRIES = 25
"""Most people who are tried: this is a search for users, not for weak passwords."""

MOST_USERS = 6
"""Most users: each one means one more visit of every endpoint."""

MOST_ALIKE = 2

EVERYBODYS = {"_flashes", "_permanent", "csrf_token", "_csrf_token"}
"""Session keys that strangers have, too: messages, CSRF tokens."""

_One = TypeVar("_One")
_OK, _REFUSALS = 200, 400


@dataclass(frozen=True)
class _Admitted:
    """A user who was let in, the name used, and what identifies the kind of user."""

    name: str
    password: str
    kind: tuple[object, ...]


def seeded_users(
    app: Any, client_fixture: str, visit: Visit, root: Path | None = None
) -> tuple[dict[str, User], tuple[str, ...]]:
    """Return users by name and the source of the fixture that logs them in; ({}, ()) for none.

    An application without accounts gets no request. `visit` undoes the effects of requests. The
    source below `root` may contain passwords whose hashes come from an earlier run.
    """
    people = _of_every_kind(known_people(app))
    if not people and root is not None:
        people = list(with_guessed_passwords(_of_every_kind(hashed_people(app)), root))
    if not people:
        return {}, ()
    asker = Asker(app, visit)
    for door in form_doors(asker):
        chosen = _of_all_kinds(_admitted(asker, door, people))
        if chosen:
            users = {user.name: user for user in _users(door, chosen, client_fixture)}
            return users, (door.source,)
    return _with_tokens(asker, client_fixture, people)


def _with_tokens(
    asker: Asker, client_fixture: str, people: Iterable[Person]
) -> tuple[dict[str, User], tuple[str, ...]]:
    chosen = _by_turns(people, _kind_of, MOST_ALIKE)[:MOST_USERS]
    found: dict[str, tuple[User, str]] = {}
    for entry in token_entries(asker, chosen):
        user, source = user_of_entry(asker.app, entry, client_fixture)
        found.setdefault(user.name, (user, source))  # the name is its fixture's, too
    users = {name: user for name, (user, _source) in found.items()}
    return users, tuple(source for _user, source in found.values())


def _of_every_kind(people: Iterable[Person]) -> list[Person]:
    return _by_turns(people, _kind_of)[:MOST_TRIES]


def _kind_of(person: Person) -> tuple[object, ...]:
    return tuple(_rights(person.row))


def _users(door: FormDoor, chosen: Iterable[_Admitted], client_fixture: str) -> Iterator[User]:
    for one in chosen:
        written = ", ".join(map(json.dumps, (one.name, one.password)))
        yield User(
            _short_name(one.name.partition("@")[0]),
            login=partial(door.log_in, one.name, one.password),
            fixtures=("log_in",),
            statement=f"log_in({client_fixture}, {written})",
        )


def _short_name(identity: str) -> str:
    """Return ``admin``: names of tests contain it, ``as_admin``."""
    name = user_name(identity)
    short = name.removeprefix("user_")
    return short if short.isidentifier() else name


def _of_all_kinds(admitted: Iterable[_Admitted]) -> list[_Admitted]:
    """Return the first user of every kind, then the second ones, up to the limit."""
    return _by_turns(admitted, lambda one: one.kind, MOST_ALIKE)[:MOST_USERS]


def _by_turns(
    each: Iterable[_One], kind_of: Callable[[_One], object], most_alike: int = MOST_TRIES
) -> list[_One]:
    """Return the first of every kind, then all the second ones, and so on."""
    seen: Counter[object] = Counter()
    turns: list[list[_One]] = [[] for _ in range(most_alike)]
    for one in each:
        kind = kind_of(one)
        if seen[kind] < most_alike:
            turns[seen[kind]].append(one)
        seen[kind] += 1
    return list(chain.from_iterable(turns))


def _admitted(asker: Asker, door: FormDoor, people: Iterable[Person]) -> Iterator[_Admitted]:
    """Yield people whom a form lets in; none when it accepts any password."""
    for person in people:
        for name in person.names:
            landing = _landing(asker, door, name, person.password)
            if landing is None or landing == _landing(asker, door, name, ANOTHER_PASSWORD):
                continue
            yield _Admitted(name, person.password, (landing, *_kind_of(person)))
            break


def _landing(asker: Asker, door: FormDoor, name: str, password: str) -> tuple[object, ...] | None:
    """Return what identifies the page after a log-in, None for a refusal."""
    client = asker.app.test_client()
    answer = asker.call(_enter, door, client, name, password)
    if answer is None or not _OK <= answer.status < _REFUSALS:
        return None
    locations = [value for header, value in answer.headers if header.lower() == "location"]
    keys = _session_keys(client)
    return (answer.status, *locations, *keys) if locations or keys else None


def _enter(door: FormDoor, client: Any, name: str, password: str) -> RawResponse:
    fields = door.fields(name, password, client)
    return send(client, passing=(), method="POST", path=door.path, data=fields)


def _session_keys(client: Any) -> list[str]:
    """Return the application's keys in the session of a user."""
    with suppress(Exception), client.session_transaction() as session:
        return sorted(set(map(str, session)) - EVERYBODYS)
    return []


def _rights(row: Mapping[str, object]) -> Iterator[object]:
    """Yield the columns of a row that hold rights."""
    for name, value in row.items():
        if RIGHTS.search(str(name)) or MIGHTY.search(str(name)):  # a dict's key may be anything
            yield name, str(value)
