"""What strangers are refused at many addresses is one table, in a module of its own."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.sut.handle import User
from pytest_evosearch.write.content.builder import Surroundings
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.naming.suite_plan import Plan
from pytest_evosearch.write.naming.suite_plan import plan_suite

JSON = (("Content-Type", "application/json"),)


def refused(
    key: str, status: int = 400, body: bytes = b'{"error": "who?"}', **sent: object
) -> Specimen:
    method, _, template = key.partition(" ")
    request = Request(method, template, **sent)  # type: ignore[arg-type]
    return Specimen((Exchange(request, Response(status, JSON, body), refused=True, meaning=401),))


def planned(specimens: list[Specimen], users: dict[str, User] | None = None) -> list[str]:
    plan: Plan = plan_suite(specimens, Surroundings(users=users or {}))
    return [f"{one.module} {one.name} {len(one.specimens)}" for one in plan.tests]


@pytest.mark.parametrize("status", [200, 400, 401, 418])
def test_one_table_for_the_addresses_of_all_modules(status: int) -> None:
    keys = ("GET /users", "POST /users", "GET /books", "DELETE /books", "GET /lamps")
    assert planned([refused(key, status) for key in keys]) == ["access test_anonymous_is_refused 5"]


def test_few_addresses_stay_where_they_belong() -> None:
    specimens = [refused(key) for key in ("GET /users", "GET /books")]
    assert planned(specimens) == ["app test_get_books_and_users_anonymous_is_refused 2"]


def test_another_answer_is_another_table() -> None:
    keys = ("GET /a", "GET /b", "GET /c", "GET /d")
    specimens = [
        *(refused(key) for key in keys),
        *(refused(key, body=b'{"error": "wrong key"}', query=(("key", "a"),)) for key in keys),
    ]
    found = planned(specimens, {"ann": User("ann", query={"key": "x"})})
    assert found == [
        "access test_anonymous_is_refused 4",
        "access test_wrong_credentials_are_refused 4",
    ]


def with_made_up_token(key: str, body: bytes, **sent: object) -> Specimen:
    act = refused(key, 422, body, headers=(("Authorization", "Bearer a"),), **sent).act
    return Specimen((replace(act, refused=False, meaning=0),))


def test_a_made_up_token_that_is_refused_alike_is_one_table_whatever_the_status() -> None:
    keys = ("GET /users", "POST /users", "GET /books", "DELETE /books")
    said = b'{"msg": "Not enough segments"}'
    [table] = planned([with_made_up_token(key, said) for key in keys])
    assert table.startswith("access ")
    assert table.endswith(" 4")


def test_refusals_of_other_inputs_stay_where_they_belong() -> None:
    keys = ("POST /users", "PUT /users", "POST /books", "PUT /books")
    body = {"json": {"name": ""}, "has_json": True}
    found = planned([with_made_up_token(key, b'{"msg": "Name"}', **body) for key in keys])
    assert not any(one.startswith("access") for one in found)


def test_a_refused_user_is_no_stranger() -> None:
    keys = ("GET /a", "GET /b", "GET /c", "GET /d")
    specimens = [Specimen((replace(refused(key).act, user="ann"),)) for key in keys]
    users = {"ann": User("ann", {"X-Key": "a"})}
    assert not any(one.startswith("access") for one in planned(specimens, users))


def test_operations_of_graphql_are_told_by_their_queries() -> None:
    specimens = [
        refused(
            f"POST /graphql#query.{field}",
            200,
            b'{"errors": [{"message": "log in"}]}',
            json={"query": f"{{ {field} }}"},
            has_json=True,
        )
        for field in ("me", "books", "tags", "shelves")
    ]
    assert planned(specimens) == ["access test_anonymous_is_refused 4"]


def permitted(key: str, body: bytes = b"") -> Specimen:
    request = Request("OPTIONS", key)
    return Specimen((Exchange(request, Response(200, (), body)),))


def test_what_browsers_ask_before_they_call_is_one_table() -> None:
    keys = ("/users", "/books", "/lamps", "/rooms")
    specimens = [permitted(key) for key in keys]
    assert planned(specimens) == ["access test_options_endpoints_returns_200 4"]


def test_permissions_that_differ_are_tables_of_their_own() -> None:
    specimens = [permitted(key) for key in ("/a", "/b", "/c", "/d")]
    specimens += [permitted(key, b"once a day") for key in ("/e", "/f", "/g", "/h")]
    tables = planned(specimens)
    assert [table.split()[0] for table in tables] == ["access", "access"]
    assert [table.split()[-1] for table in tables] == ["4", "4"]
