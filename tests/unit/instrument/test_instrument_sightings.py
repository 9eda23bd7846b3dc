"""What conditions in focus tell of the values that they saw, and which truths can be seen."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from pytest_evosearch.instrument.probing.trace import Sighting

SOURCE = """\
def classify(order, code):
    if order["status"] not in {"open": 1}:
        return "closed"
    if isinstance(code, dict) or code.startswith("SAVE"):
        return int(code[4:])
    table = {"a": 1}
    return table[code]


def pick(value):
    return value or "nothing"


def look_up(body, names):
    return [body[name] for name in names if body.get(name, 0)]
"""


@pytest.fixture
def subject(load_instrumented: Callable[..., Any]) -> Any:
    return load_instrumented(SOURCE)


def sightings(subject: Any, targets: set[str], *arguments: Any) -> list[Sighting]:
    subject.recording.begin(True, targets)
    subject.recording.run(subject.module.classify, *arguments)
    return list(subject.recording.end().sightings)


@pytest.mark.parametrize(
    ("target", "code", "expected"),
    [
        (
            "branch subject.py:2 true",
            "a",
            ("comparison", "not in", ("'open'", "{'open': 1}")),
        ),
        ("branch subject.py:4 true", "a", ("predicate", "isinstance", ("'a'", "dict"))),
        ("branch subject.py:5 raised", "SAVE7", ("conversion", "int", ("'7'",))),
        ("branch subject.py:7 missing", "a", ("lookup", "key", ("'a'", "{'a': 1}"))),
    ],
)
def test_a_condition_in_focus_tells_what_it_saw(
    subject: Any, target: str, code: str, expected: tuple[str, str, tuple[str, ...]]
) -> None:
    seen = sightings(subject, {target}, {"status": "open"}, code)
    assert Sighting(target, *expected) in seen
    assert {one.target for one in seen} == {target}


def test_nothing_is_told_without_focus(subject: Any) -> None:
    assert sightings(subject, set(), {"status": "open"}, "a") == []
    assert sightings(subject, {"branch elsewhere.py:1 true"}, {"status": "open"}, "a") == []


def covered(subject: Any, value: object) -> set[str]:
    subject.recording.begin()
    assert subject.recording.run(subject.module.pick, value) in (value, "nothing")
    scores = subject.recording.end().scores
    return {target.rpartition(" ")[2] for target, score in scores.items() if score == 1.0}


def test_the_truth_of_a_database_row_is_seen(subject: Any) -> None:
    with closing(sqlite3.connect(":memory:")) as database:
        database.row_factory = sqlite3.Row
        row = database.execute("SELECT 1 AS id").fetchone()
    assert "true" in covered(subject, row)


def test_the_truth_of_an_object_with_code_of_its_own_is_left_alone(subject: Any) -> None:
    asked = []

    class Basket:
        def __len__(self) -> int:
            asked.append("len")
            return 1

    assert "true" not in covered(subject, Basket())
    assert asked == ["len"]  # by the application, once


def test_an_object_without_a_truth_of_its_own_is_true(subject: Any) -> None:
    assert "true" in covered(subject, object())


class Noting(dict[str, int]):
    """Like the bodies that note what handlers read of them."""

    def __getitem__(self, key: str) -> int:
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        raise AssertionError


def sides_of_look_up(subject: Any, body: dict[str, int]) -> set[str]:
    subject.recording.begin()
    subject.recording.run(subject.module.look_up, body, ["a", "b"])
    scores = subject.recording.end().scores
    return {target.rpartition(" ")[2] for target, score in scores.items() if score == 1.0}


def test_lookups_in_a_subclass_of_dict_are_seen(subject: Any) -> None:
    sides = sides_of_look_up(subject, Noting(a=1))
    assert sides == sides_of_look_up(subject, {"a": 1})
    assert {"found", "true", "false"} <= sides


def test_lookups_where_missing_keys_are_made_up_are_left_alone(subject: Any) -> None:
    assert "found" not in sides_of_look_up(subject, defaultdict(int, a=1))
