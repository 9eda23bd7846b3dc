from __future__ import annotations

import pytest

from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import NOBODY
from pytest_evosearch.problem.http.exchanges.individual import STRANGER
from pytest_evosearch.sut.handle import User
from pytest_evosearch.write.content.people import people_of
from pytest_evosearch.write.content.written_calls import Unwritable


def calls(*users: str | None) -> list[Exchange]:
    return [Exchange(Request("GET", "/a"), Response(200), user) for user in users]


def people(accounts: dict[str, User], *users: str | None) -> list[tuple[str, tuple[str, ...]]]:
    known = [accounts.get(user) if user is not None else None for user in users]
    return [(one.client, one.before) for one in people_of(calls(*users), known, "client")]


def logging_in(name: str) -> User:
    return User(name, login=print, statement=f'login_as(client, "{name}")')


def test_second_user_logs_in_with_a_client_of_their_own() -> None:
    accounts = {name: logging_in(name) for name in ("ann", "bob")}

    assert people(accounts, "ann", "bob", "ann", "bob") == [
        ("client", ('login_as(client, "ann")',)),
        ("other", ("other = client.application.test_client()", 'login_as(other, "bob")')),
        ("client", ()),
        ("other", ()),
    ]


def test_names_in_quotes_are_no_clients() -> None:
    accounts = {
        "ann": logging_in("ann"),
        "client": User("client", login=print, statement='users["client"](client)'),
    }

    assert people(accounts, "ann", "client")[1][1][1] == 'users["client"](other)'


def test_log_in_that_is_bound_to_the_fixture_serves_one_user_only() -> None:
    accounts = {
        "ann": logging_in("ann"),
        "bob": User("bob", login=print, statement="auth.login()"),
    }

    with pytest.raises(Unwritable, match="two users"):
        people(accounts, "ann", "bob")


def test_a_fixture_that_gives_a_client_is_called_itself() -> None:
    accounts = {
        name: User(name, login=print, fixtures=(name,), client=name)
        for name in ("ann_client", "bob_client")
    }

    assert people(accounts, "ann_client", None, "bob_client") == [
        ("ann_client", ()),
        ("client", ()),
        ("bob_client", ()),
    ]


def test_who_is_anonymous_beside_a_client_that_its_fixture_logs_in_has_another() -> None:
    shared = {
        name: User(name, login=print, client=name, shares_client=True)
        for name in ("ann_client", "bob_client")
    }

    assert people(shared, None, "ann_client", None) == [
        ("anonymous", ("anonymous = client.application.test_client()",)),
        ("ann_client", ()),
        ("anonymous", ()),
    ]
    with pytest.raises(Unwritable, match="two users"):
        people(shared, "ann_client", "bob_client")


def test_strangers_and_nobody_have_clients_of_their_own() -> None:
    assert people({}, None, STRANGER, NOBODY, STRANGER) == [
        ("client", ()),
        ("stranger", ("stranger = client.application.test_client()",)),
        ("anonymous", ("anonymous = client.application.test_client()",)),
        ("stranger", ()),
    ]


def test_users_with_headers_share_the_client() -> None:
    accounts = {name: User(name, headers={"X-Person": name}) for name in ("ann", "bob")}

    assert people(accounts, "ann", None, "bob") == [("client", ())] * 3
