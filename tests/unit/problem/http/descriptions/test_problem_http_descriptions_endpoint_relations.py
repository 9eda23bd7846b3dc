"""Who creates, shares or guards the resource of an endpoint, also among thousands of them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

from pytest_evosearch.problem.http.descriptions.endpoint_relations import Resources
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint


def endpoint(key: str, blueprint: str | None = None) -> Endpoint:
    method, _, template = key.partition(" ")
    return Endpoint(method, template, template, blueprint=blueprint)


SHOP = Resources(
    [
        endpoint("GET /", "pages"),
        endpoint("GET /{page}", "pages"),
        endpoint("GET /orders"),
        endpoint("POST /orders/"),
        endpoint("POST /orders/create"),
        endpoint("POST /orders/{id}/create"),
        endpoint("GET /orders/{id}"),
        endpoint("POST /orders/{id}/items"),
        endpoint("GET /orders/{id}/items/{item}"),
        endpoint("GET /ordersummary"),
    ]
)


def test_creators_of_the_nearest_placeholder_come_first() -> None:
    assert SHOP.creators("GET /orders/{id}/items/{item}") == [
        "POST /orders/{id}/items",
        "POST /orders/",
        "POST /orders/create",
    ]


def test_a_page_without_placeholders_is_created_by_nothing() -> None:
    assert SHOP.creators("GET /orders") == []


def test_siblings_are_at_the_address_of_the_collection_or_below() -> None:
    assert SHOP.siblings("GET /orders/{id}") == [
        "GET /orders",
        "POST /orders/",
        "POST /orders/create",
        "POST /orders/{id}/create",
        "POST /orders/{id}/items",
        "GET /orders/{id}/items/{item}",
    ]


def test_siblings_at_the_root_are_of_the_same_blueprint() -> None:
    assert SHOP.siblings("GET /{page}") == ["GET /"]


def steps_of(work: Callable[[], object]) -> int:
    """Count the functions that are called."""
    count = 0

    def note(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def relations_of_all(number: int) -> None:
    """Ask for the relations of every endpoint of an application of so many resources."""
    endpoints = [
        endpoint(key)
        for index in range(number)
        for key in (f"POST /r{index}", f"GET /r{index}/{{id}}")
    ]
    resources = Resources(endpoints)
    for each in endpoints:
        assert len(resources.siblings(each.key)) == 1
        resources.creators(each.key)


def test_what_relations_cost_grows_with_the_number_of_endpoints() -> None:
    few = steps_of(lambda: relations_of_all(50))
    many = steps_of(lambda: relations_of_all(200))

    assert many < 5 * few
