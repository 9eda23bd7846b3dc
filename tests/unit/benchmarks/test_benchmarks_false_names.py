"""Causes that a report names are repaired in the written tests; those that do not hold are told."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from benchmarks.false_names import count_false_names
from benchmarks.false_names import holds
from benchmarks.false_names import is_ended

SUITE = """
import flask
import pytest

app = flask.Flask(__name__)


@app.post("/books/<name>")
def add(name):
    if name == "taken" or (flask.request.json or {}).get("stock", 0) < 0:
        flask.abort(400)
    return {"name": name}, 201


@pytest.mark.parametrize("stock", [-1, -2])
def test_negative_stock(stock):
    response = app.test_client().post("/books/a", json={"stock": stock, "title": "a"})
    assert response.status_code == 400


def test_taken():
    assert app.test_client().post("/books/taken", json={}).status_code == 400
"""


@pytest.mark.parametrize(
    ("before", "after", "ended"),
    [
        ([400, "", False, []], [201, "", False, []], True),
        ([400, "", False, []], [404, "", False, []], False),
        (None, [404, "", False, []], True),
        (None, None, False),
        ([200, "", True, []], [302, "/", False, []], True),
        ([200, "", True, []], [200, "", True, []], False),
    ],
)
def test_a_cause_holds_where_its_repair_ends_the_answer(
    before: list[object] | None, after: list[object] | None, ended: bool
) -> None:
    assert is_ended(before, after) is ended


@pytest.mark.parametrize(
    ("after", "does"),
    [
        ({"answer": None, "text": "ValueError('b')"}, True),
        ({"answer": None, "text": "KeyError('a')"}, False),
        ({"answer": [404, "", False, []], "text": "no"}, True),
        ({"answer": None}, False),  # the call was not sent
    ],
)
def test_a_cause_that_hides_the_next_failure_holds_where_that_is_another_one(
    after: dict[str, object], does: bool
) -> None:
    before = {"answer": None, "text": "KeyError('a')"}

    assert holds({"hides_another": True}, before, after) is does


@pytest.mark.slow("three runs of pytest in processes of their own")
def test_false_causes_are_found_by_running_the_repaired_tests(tmp_path: Path) -> None:
    (tmp_path / "test_books.py").write_text(SUITE, encoding="utf-8")
    place = {"endpoint": "POST /books/{name}", "location": "json"}
    causes = [
        *({**place, "name": "stock", "value": value, "usual": 1} for value in (-1, -2)),
        {**place, "name": "title", "value": "a", "usual": "b", "beside": {"stock": -1}},
        {**place, "name": "stock", "value": -1, "usual": 1, "beside": {"title": "b"}},  # of no row
    ]
    path = {**place, "location": "path", "name": "name", "value": "taken", "usual": "free"}
    user = {**place, "location": "user", "name": ""}
    report = {
        "files": ["test_books.py"],
        "tests": [
            {"name": "test_books.py::test_negative_stock", "causes": causes},
            {"name": "test_books.py::test_taken", "causes": [path, user]},
            {"name": "test_books.py::test_plain"},
        ],
    }

    count = count_false_names(Path(sys.executable), tmp_path, json.loads(json.dumps(report)))

    assert count.holding == 3
    assert len(count.failing) == 1  # a title does not matter
    assert "'title'" in count.failing[0]
