from __future__ import annotations

import json

import pytest

from pytest_evosearch.minimize.unstable import Repetition
from pytest_evosearch.minimize.unstable import unstable_facts
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.seen_inside import Crash

REQUEST = Request("GET", "/")


def answered(body: bytes, kind: str, status: int = 200, location: str | None = None) -> Exchange:
    headers = [("Content-Type", kind)]
    if location is not None:
        headers.append(("Location", location))
    return Exchange(REQUEST, Response(status, tuple(headers), body))


def in_json(value: object, status: int = 200) -> Exchange:
    return answered(json.dumps(value).encode(), "application/json", status)


def in_text(text: str, status: int = 200, location: str | None = None) -> Exchange:
    return answered(text.encode(), "text/html; charset=utf-8", status, location)


def facts(left: Exchange, right: Exchange) -> list[tuple[str | int, ...]]:
    """Return the unstable facts of one call."""
    found = unstable_facts([left], [Repetition("again", [right])])
    assert all(index == 0 for index, _ in found)
    return [fact for _, fact in found]


def test_equal_responses_are_stable() -> None:
    exchange = in_json({"id": 1, "tags": ["a"]})
    assert unstable_facts([exchange], [Repetition("again", [exchange])]) == {}


def test_no_repetition_means_no_doubt() -> None:
    assert unstable_facts([in_text("x")], []) == {}


def test_leaves_are_told_apart() -> None:
    left = {"id": 1, "author": {"name": "a", "seen": "10:00"}, "tags": [1, 2]}
    right = {"id": 1, "author": {"name": "a", "seen": "10:01"}, "tags": [1, 3]}
    assert facts(in_json(left), in_json(right)) == [
        ("json", "author", "seen"),
        ("json", "tags", 1),
    ]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        pytest.param([1], [1, 2], id="a list of another length"),
        pytest.param({"a": 1}, {"b": 1}, id="an object with other keys"),
        pytest.param(1, True, id="a boolean is no number"),
        pytest.param(1, 1.0, id="a float is no integer"),
        pytest.param([], {}, id="an object is no list"),
        pytest.param(None, 0, id="null is no number"),
    ],
)
def test_values_of_another_shape_are_unstable_as_a_whole(left: object, right: object) -> None:
    assert facts(in_json({"value": left}), in_json({"value": right})) == [("json", "value")]
    assert facts(in_json(left), in_json(right)) == [("json",)]


def test_not_a_number_is_itself() -> None:
    left, right = {"x": float("nan"), "y": 1}, {"x": float("nan"), "y": 2}
    assert facts(in_json(left), in_json(right)) == [("json", "y")]


def test_the_order_of_keys_does_not_matter() -> None:
    assert facts(in_json({"a": 1, "b": 2}), in_json({"b": 2, "a": 1})) == []


def test_a_status_that_differs_hides_the_rest() -> None:
    assert facts(in_json({"a": 1}), in_json({"a": 2}, status=404)) == [("status",)]


def test_texts_and_redirects() -> None:
    left = in_text("<p>1</p>", 302, "/items/1")
    right = in_text("<p>2</p>", 302, "/items/2")
    assert facts(left, right) == [("header", "Location"), ("text",)]


def test_bodies_that_only_claim_to_be_json() -> None:
    broken = answered(b"{", "application/json")
    assert facts(broken, answered(b"{{", "application/json")) == [("text",)]
    assert facts(in_json(1), broken) == [("json",)]


def test_very_deep_values_are_one_fact() -> None:
    left: object = 1
    right: object = 2
    for _ in range(300):
        left, right = [left], [right]
    (fact,) = facts(in_json(left), in_json(right))
    assert len(fact) < 60


def test_a_call_that_is_missing_or_got_no_answer_is_flaky() -> None:
    silent = Exchange(REQUEST, None, frozen=True)
    crashed = Exchange(REQUEST, None, crash=Crash("KeyError", "builtins", "", "", 0, "", ""))
    assert facts(in_text("x"), silent) == [("status",)]
    assert facts(crashed, in_text("x", 500)) == [("status",)]
    assert facts(crashed, crashed) == []
    assert unstable_facts([in_text("x")], [Repetition("again", [])]) == {
        (0, ("status",)): "changes between runs"
    }


@pytest.mark.parametrize(
    ("conditions", "reason"),
    [
        (["again"], "changes between runs"),
        (["clock"], "changes with the clock"),
        (["again", "clock"], "changes with the clock"),
        (["random"], "changes with the random seed"),
        (["again", "random"], "changes with the random seed"),
        (["clock", "random"], "changes with the clock and the random seed"),
        (["again", "clock", "random"], "changes between runs"),
        (["hashseed"], "changes with the hash seed"),
        (["moon"], "changes with moon"),
        (["again", "moon"], "changes between runs"),
    ],
)
def test_reasons(conditions: list[str], reason: str) -> None:
    stable, moved = in_json({"at": 1}), in_json({"at": 2})
    repetitions = [
        Repetition(name, [moved if name in conditions else stable])
        for name in ("again", "clock", "random", "hashseed", "moon")
    ]
    assert unstable_facts([stable], repetitions) == {(0, ("json", "at")): reason}


def test_facts_are_ordered_by_call() -> None:
    reference = [in_text("a"), in_text("b")]
    repetitions = [
        Repetition("again", [in_text("a"), in_text("c")]),
        Repetition("clock", [in_text("d"), in_text("b")]),
    ]
    assert list(unstable_facts(reference, repetitions)) == [(0, ("text",)), (1, ("text",))]


def test_a_status_that_differs_between_runs_is_not_put_down_to_the_clock() -> None:
    stable, other = in_text("yes"), in_text("no", 503)
    repetitions = [Repetition("again", [other]), Repetition("clock", [other])]

    assert unstable_facts([stable], repetitions) == {(0, ("status",)): "changes between runs"}


def test_no_place_is_certain_in_a_list_that_comes_in_another_order() -> None:
    left, right = {"tags": ["a", "b", "c"]}, {"tags": ["b", "a", "c"]}
    assert facts(in_json(left), in_json(right)) == [("json", "tags", n) for n in range(3)]
    rows = [{"name": "a", "n": 1}, {"name": "b", "n": 1}]
    assert facts(in_json(rows), in_json(rows[::-1])) == [("json", 0), ("json", 1)]
