"""Requests as hooks may change them, and back."""

from __future__ import annotations

from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_evosearch.bridge.hook_wiring.outgoing import changed_request
from pytest_evosearch.bridge.hook_wiring.outgoing import outgoing
from pytest_evosearch.engine.extension_values import OutgoingRequest
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.exchange import Origin
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.individual import NOBODY

ENDPOINT = Endpoint("POST", "/orders/{id}", "orders.change", blueprint="orders")

REQUEST = Request(
    "POST",
    "/orders/{id}",
    path={"id": 7},
    query=(("tag", "a"), ("page", 2), ("tag", "b")),
    headers=(("Authorization", "Bearer abc"), ("Accept", "*/*")),
    json={"items": [{"id": 3, "size": 2}], "note": None},
    has_json=True,
    origins={
        ("path", "id"): Origin(0, ("json", "id")),
        ("header", "Authorization"): Origin(0, ("json", "token"), "Bearer "),
        ("json", "items", 0, "id"): Origin(1, ("json", "id")),
    },
)

NAMES = st.text("abcXYZ-", min_size=1, max_size=5)
PAIRS = st.lists(st.tuples(NAMES, st.sampled_from(["", "a", 1, 2.5]))).map(tuple)


def seen(request: Request, user: str | None = None) -> OutgoingRequest:
    return outgoing(request, ENDPOINT, user, "/orders/7")


def changed(request: Request, **values: object) -> Request:
    before = seen(request)
    after = deepcopy(before)
    for name, value in values.items():
        setattr(after, name, value)
    return changed_request(request, before, after)


def test_hooks_see_what_is_sent() -> None:
    request = seen(REQUEST, "alice")
    assert (request.method, request.endpoint.path) == ("POST", "/orders/{id}")
    assert (request.endpoint.name, request.endpoint.blueprint) == ("orders.change", "orders")
    assert (request.url_path, request.user) == ("/orders/7", "alice")
    assert request.query == {"tag": ["a", "b"], "page": 2}
    assert request.json == {"items": [{"id": 3, "size": 2}], "note": None}


def test_those_without_a_name_are_nobody() -> None:
    assert seen(REQUEST, NOBODY).user is None


@given(PAIRS, PAIRS)
def test_what_is_not_changed_is_sent_as_it_is(query, form) -> None:
    request = Request("POST", "/orders", query=query, form=form)
    assert changed(request) is request


@given(PAIRS)
def test_added_query_leaves_the_others_alone(pairs) -> None:
    request = Request("POST", "/orders", query=pairs)
    found = changed(request, query={**seen(request).query, "added": "1"}).query
    assert found[-1] == ("added", "1")
    assert sorted(found[:-1], key=repr) == sorted(pairs, key=repr)


def test_values_keep_their_origin_while_they_are_the_same() -> None:
    added = changed(REQUEST, headers={**seen(REQUEST).headers, "X-Api-Version": 2})
    assert added.headers[-1] == ("X-Api-Version", "2")
    assert added.origins == REQUEST.origins
    other = changed(REQUEST, headers={"Authorization": "Basic eA=="})
    assert ("header", "Authorization") not in other.origins
    assert ("path", "id") in other.origins


def test_json_may_be_changed_in_place() -> None:
    before = seen(REQUEST)
    after = deepcopy(before)
    after.json["items"][0]["size"] = 9
    found = changed_request(REQUEST, before, after)
    assert found.json == {"items": [{"id": 3, "size": 9}], "note": None}
    assert found.origins == REQUEST.origins
    assert REQUEST.json == {"items": [{"id": 3, "size": 2}], "note": None}
    after.json["items"][0]["id"] = 4
    assert ("json", "items", 0, "id") not in changed_request(REQUEST, before, after).origins


def test_a_body_can_be_added_and_taken_away() -> None:
    bare = Request("POST", "/orders")
    assert changed(bare, form={"token": "t"}).form == (("token", "t"),)
    assert changed(bare, json={"a": (1, 2)}).json == {"a": [1, 2]}
    without = changed(REQUEST, json=None)
    assert (without.json, without.has_json) == (None, False)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"url_path": "/"}, "endpoint, url_path and user of a request cannot be changed"),
        ({"headers": {"X": None}}, "headers hold texts and numbers by name, not 'X': None"),
        ({"headers": {"X Y": "a"}}, "'X Y' is not a name for headers"),
        ({"query": {"": "a"}}, "query hold texts and numbers by name"),
        ({"form": {"a": "b"}}, "a request has one body: json, form or text"),
        ({"json": {"a": object()}}, "the json of a request cannot be sent"),
        ({"json": None, "text": 7}, "the text of a request must be text or bytes, not 7"),
    ],
)
def test_what_cannot_be_sent_is_refused(values: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        changed(REQUEST, **values)


def test_headers_are_made_sendable() -> None:
    assert changed(Request("GET", "/"), headers={"X": "a\r\nb\u0142"}).headers == (("X", "ab"),)
