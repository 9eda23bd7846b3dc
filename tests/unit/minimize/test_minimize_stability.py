"""What a project says of values corrects what repeating the test shows."""

from __future__ import annotations

import json
from collections.abc import Mapping

from pytest_evosearch.minimize.stability import corrected
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response

CONTENT = {"items": [{"id": 1, "at": "now"}], "odd key": 2}
HEADERS = (("Content-Type", "application/json"), ("Location", "/orders/1"))
EXCHANGES = (
    Exchange(Request("GET", "/health"), Response(204)),
    Exchange(Request("GET", "/orders"), Response(200, HEADERS, json.dumps(CONTENT).encode())),
    Exchange(Request("GET", "/gone"), None, frozen=True),
)
AT = (1, ("json", "items", 0, "at"))
SEEN: Mapping[object, str] = {AT: "changes with the clock"}


def test_every_place_is_asked_about_from_the_outside_in() -> None:
    asked: dict[str, object] = {}
    assert corrected(SEEN, EXCHANGES, lambda path, value: asked.update({path: value})) == SEEN
    assert list(asked) == [
        "Location",
        "$",
        "$.items",
        "$.items[0]",
        "$.items[0].id",
        "$.items[0].at",
        "$['odd key']",
    ]
    assert asked["$.items[0]"] == {"id": 1, "at": "now"}


def test_unstable_values_are_added_with_their_reason() -> None:
    said = {"$.items[0].id": "drawn elsewhere", "Location": "holds the id"}
    assert corrected(SEEN, EXCHANGES, lambda path, _value: said.get(path)) == {
        AT: "changes with the clock",
        (1, ("json", "items", 0, "id")): "drawn elsewhere",
        (1, ("header", "Location")): "holds the id",
    }


def test_an_unstable_whole_stands_for_its_parts() -> None:
    asked: list[str] = []

    def stability(path: str, _value: object) -> str | None:
        asked.append(path)
        return "sorted by chance" if path == "$.items" else None

    found = corrected(SEEN, EXCHANGES, stability)
    assert found == {(1, ("json", "items")): "sorted by chance"}
    assert "$.items[0]" not in asked


def test_a_stable_whole_may_have_an_unstable_part() -> None:
    said = {"$.items": True, "$.items[0].id": "drawn elsewhere"}
    found = corrected(SEEN, EXCHANGES, lambda path, _value: said.get(path))
    assert found == {(1, ("json", "items", 0, "id")): "drawn elsewhere"}


def test_facts_of_other_calls_and_statuses_stay() -> None:
    seen = {(0, ("status",)): "changes between runs", AT: "changes with the clock"}
    found = corrected(seen, EXCHANGES, lambda path, _value: True if path == "$" else None)
    assert found == {(0, ("status",)): "changes between runs"}
