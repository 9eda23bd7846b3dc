from __future__ import annotations

from pytest_evosearch.problem.http.exchanges.json_places import walk_json


def test_every_value_has_its_place_and_holders_come_first() -> None:
    body = {"a": [1, {"b": None}], 2: []}

    assert list(walk_json(body)) == [
        ((), body),
        (("a",), [1, {"b": None}]),
        (("a", 0), 1),
        (("a", 1), {"b": None}),
        (("a", 1, "b"), None),
        (("2",), []),
    ]
