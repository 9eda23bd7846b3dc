from __future__ import annotations

from typing import Any

import pytest

from pytest_evosearch.core.targets import status_target
from pytest_evosearch.execution.residue import FOUND
from pytest_evosearch.execution.residue import AnswerTargetsWithResidue
from pytest_evosearch.execution.residue import harms_others
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Origin
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response

JSON = (("Content-Type", "application/json"),)
ORDER = "/orders/{order_id}"


def created(body: bytes = b'{"id": 17, "book_id": 3}', template: str = "/orders") -> Exchange:
    return Exchange(Request("POST", template), Response(201, JSON, body))


def at_order(method: str, number: object, status: int, call: int | None = None) -> Exchange:
    """Return a call about an order, which comes from an earlier `call` or is a literal."""
    origins: Any = {} if call is None else {("path", "order_id"): Origin(call, ("json", "id"))}
    request = Request(method, ORDER, {"order_id": number}, origins=origins)
    return Exchange(request, Response(status))


def test_what_an_earlier_test_has_left_counts_for_nothing() -> None:
    answers = AnswerTargetsWithResidue()
    assert answers.of_test([at_order("GET", 17, 200)]) == [[status_target(f"GET {ORDER}", 200)]]
    answers.of_test([created()])
    assert answers.of_test([at_order("GET", 17, 200)]) == [[]]
    assert answers.of_test([at_order("GET", 18, 200)]) == [[status_target(f"GET {ORDER}", 200)]]
    assert answers.of_test([at_order("GET", 17, 404)]) == [[status_target(f"GET {ORDER}", 404)]]


def test_what_is_made_of_something_that_was_left_counts_for_nothing_either() -> None:
    answers = AnswerTargetsWithResidue()
    answers.of_test([created(b'{"id": 62}', "/books")])
    request = Request("POST", "/orders", json={"book_id": 62}, has_json=True)
    ordered = Exchange(request, Response(201, JSON, b'{"id": 17}'))
    assert answers.of_test([ordered, at_order("GET", 17, 200, call=0)]) == [[], []]


def test_what_the_test_has_made_itself_counts() -> None:
    answers = AnswerTargetsWithResidue()
    answers.of_test([created()])
    targets = answers.of_test([created(), at_order("GET", 17, 200, call=0)])
    assert targets[1] == [status_target(f"GET {ORDER}", 200)]


@pytest.mark.parametrize("kind", ["json", "form", "query"])
def test_names_of_fields_tell_what_they_identify(kind: str) -> None:
    answers = AnswerTargetsWithResidue()
    answers.of_test([created()])
    places: dict[str, Any] = {
        "json": {"json": {"order_id": 17}, "has_json": True},
        "form": {"form": (("order_id", "17"),)},
        "query": {"query": (("order_id", 17),)},
    }
    request = Request("POST", "/payments", **places[kind])
    assert answers.of_test([Exchange(request, Response(201))]) == [[]]
    other = Request("POST", "/payments", json={"book_id": 17, "size": 17}, has_json=True)
    assert answers.of_test([Exchange(other, Response(201))]) != [[]]


def test_a_redirect_tells_what_was_made() -> None:
    answers = AnswerTargetsWithResidue()
    answers.of_test(
        [Exchange(Request("POST", "/orders"), Response(302, (("Location", "/orders/17"),)))]
    )
    assert answers.of_test([at_order("GET", 17, 200)]) == [[]]


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "POST"])
def test_a_test_that_changes_what_it_found_counts_for_nothing(method: str) -> None:
    answers = AnswerTargetsWithResidue()
    test = [at_order("GET", 1, 200), at_order(method, 1, 200)]
    assert harms_others(test)
    assert answers.of_test(test) == [[], []]
    assert list(answers.foregone) == [
        status_target(f"GET {ORDER}", 200),
        status_target(f"{method} {ORDER}", 200),
    ]


def test_what_a_list_names_is_found_as_well() -> None:
    listed = Exchange(Request("GET", "/orders"), Response(200, JSON, b'[{"id": 1}]'))
    assert harms_others([listed, at_order("DELETE", 1, 204, call=0)])


@pytest.mark.parametrize(
    "test",
    [
        [created(), at_order("DELETE", 17, 204, call=0)],
        [at_order("DELETE", 1, 404)],
        [at_order("GET", 1, 200)],
        [at_order("PUT", "mine", 201), at_order("DELETE", "mine", 204)],
    ],
    ids=["its own", "refused", "read", "put there by itself"],
)
def test_other_tests_harm_nobody(test: list[Exchange]) -> None:
    assert not harms_others(test)


def test_a_form_that_is_shown_again_and_a_log_in_change_nothing() -> None:
    form = Response(200, (("Content-Type", "text/html"),), b"<form></form>")
    request = Request("POST", ORDER, {"order_id": 1})
    assert not harms_others([Exchange(request, form)])
    assert not harms_others([Exchange(request, Response(302, (("Location", "/login?next=/"),)))])
    assert harms_others([Exchange(request, Response(302, (("Location", "/orders/1"),)))])


def register(name: str, status: int, origin: Origin | None = None) -> Exchange:
    places: Any = {("json", "name"): origin} if origin is not None else {}
    request = Request("POST", "/users", json={"name": name}, has_json=True, origins=places)
    return Exchange(request, Response(status))


def test_a_name_that_an_earlier_test_took_is_no_conflict_elsewhere() -> None:
    answers = AnswerTargetsWithResidue()
    answers.of_test([register("ann", 201)])
    assert answers.of_test([register("ann", 409)]) == [[]]
    assert answers.of_test([register("bob", 409)]) == [[status_target("POST /users", 409)]]
    drawn = register("ann", 409, Origin(0, ("json", "name")))
    assert answers.of_test([created(), drawn])[1] == [status_target("POST /users", 409)]


@pytest.mark.parametrize("status", [400, 404, 409, 422])
def test_what_succeeded_before_is_refused_because_of_that(status: int) -> None:
    answers = AnswerTargetsWithResidue()
    request = Request("POST", "/once")
    answers.of_test([Exchange(request, Response(201))])
    assert answers.of_test([Exchange(request, Response(status))]) == [[]]
    other = Exchange(Request("GET", "/"), Response(200))
    assert answers.of_test([other, Exchange(request, Response(status))])[1] == []
    assert answers.of_test([Exchange(request, Response(201))]) != [[]]


def test_what_the_test_itself_has_done_before_may_be_refused() -> None:
    answers = AnswerTargetsWithResidue()
    request = Request("POST", "/once")
    done = Exchange(request, Response(201))
    answers.of_test([done])
    assert answers.of_test([done, Exchange(request, Response(400))])[1] != []


def test_what_succeeded_after_a_log_in_may_be_refused_without() -> None:
    answers = AnswerTargetsWithResidue()
    logout = Request("POST", "/logout")
    answers.of_test(
        [Exchange(Request("POST", "/login"), Response(200)), Exchange(logout, Response(204))]
    )
    assert answers.of_test([Exchange(logout, Response(401))]) != [[]]


def test_tests_that_make_what_they_need_are_preferred() -> None:
    answers = AnswerTargetsWithResidue()
    assert answers.burden([at_order("GET", 1, 200)]) == FOUND
    assert answers.burden([created(), at_order("GET", 17, 200, call=0)]) == 0


def test_what_is_missing_by_a_number_may_be_there_later() -> None:
    answers = AnswerTargetsWithResidue()
    assert answers.burden([at_order("GET", 9, 404)]) == FOUND
    request = Request("POST", "/payments", json={"order_id": 2}, has_json=True)
    assert answers.burden([Exchange(request, Response(409))]) == FOUND
    assert [answers.burden([at_order("GET", one, 404)]) for one in (0, -1, "a")] == [0, 0, 0]


@pytest.mark.parametrize(
    ("variables", "linked", "field", "harms"),
    [
        ({"orderId": "17"}, False, "mutation.deleteOrder", True),
        ({"order": {"id": "17", "price": 1}}, False, "mutation.updateOrder", True),
        ({"orderId": "17"}, True, "mutation.deleteOrder", False),
        ({"orderId": "17"}, False, "query.order", False),
        ({"name": "a"}, False, "mutation.addOrder", False),
    ],
)
def test_mutations_of_graphql_harm_what_their_variables_name(
    variables: dict[str, Any], linked: bool, field: str, harms: bool
) -> None:
    made = created(b'{"data": {"addOrder": {"id": "17"}}}', "/graphql#mutation.addOrder")
    origin = Origin(0, ("json", "data", "addOrder", "id"))
    place = ("json", "variables", "orderId")
    body = {"query": "...", "variables": variables}
    origins: Any = {place: origin} if linked else {}
    request = Request("POST", f"/graphql#{field}", json=body, has_json=True, origins=origins)
    answer = Response(200, JSON, b'{"data": {"x": true}}')
    assert harms_others([made, Exchange(request, answer)]) is harms
