"""A text that a handler takes for an object is seen, also where the handler catches the error."""

from __future__ import annotations

import sys

import pytest

from pytest_evosearch.sut.watching.observe import ReadRecorder
from pytest_evosearch.sut.watching.texts_as_objects import has_text

SOURCE = """
from flask import Flask, request
app = Flask(__name__)

def first_line(rows):
    return [row["name"] for row in rows]

@app.post("/orders")
def order():
    try:
        data = request.get_json()
        {body}
    except Exception:
        return "failed", 500
    return "ok"
"""


@pytest.fixture
def reads_of(tmp_path):
    def send(body, document):
        file = tmp_path / "orders.py"
        source = SOURCE.replace("{body}", body)
        file.write_text(source)
        names = {"__name__": "orders"}
        exec(compile(source, str(file), "exec"), names)
        with ReadRecorder(names["app"]) as recorder:
            recorder.begin()
            names["app"].test_client().post("/orders", json=document)
            return {read.path: read.present for read in recorder.take()}

    return send


@pytest.mark.parametrize(
    ("body", "document", "place"),
    [
        ('data["filter"]["color"]', {"filter": "a"}, ("filter", "a")),
        ('data.get("filter").get("color")', {"filter": "a"}, ("filter", "a")),
        (
            'message = data["filter"]; data["kind"]; message.items()',
            {"filter": "a", "kind": 3},
            ("filter", "a"),
        ),
        ('data["to"]["city"]["name"]', {"to": {"city": "a"}}, ("to", "city", "a")),
        ('first_line(data["rows"])', {"rows": ["a"]}, ("rows", 0, "a")),
        ('data["rows"][0]["name"]', {"rows": ["a"]}, ("rows", 0, "a")),
        ("first_line(data)", {"a": "a"}, (0, "a")),
    ],
)
def test_the_place_of_the_text_is_read_as_an_object(reads_of, body, document, place):
    assert reads_of(body, document)[place] is False


@pytest.mark.parametrize("body", ["dict(data)", "str(**data)", "{}.update(data)", "list(data)"])
def test_a_copy_of_a_document_reads_no_member(reads_of, body):
    assert set(reads_of(body, {"filter": "a"})) == {()}


def test_an_object_of_a_list_is_not_the_text_that_was_taken(reads_of):
    body = 'text = data["filter"]; data["rows"][0]; text["color"]'
    found = reads_of(body, {"filter": "a", "rows": [{"n": 1}]})
    assert found["filter", "a"] is False
    assert ("rows", 0, "a") not in found


@pytest.mark.parametrize(
    ("body", "document"),
    [
        ('data["filter"].size', {"filter": "a"}),
        ('data["filter"].get("color")', {"filter": 3}),
        ('data["filter"]["color"]', {"filter": {"color": "a"}}),
        ('data["filter"].upper()', {"filter": "a"}),
    ],
)
def test_other_errors_and_texts_show_nothing(reads_of, body, document):
    assert all(path[-1:] != ("a",) for path in reads_of(body, document))


def test_nothing_is_traced_after_the_call_or_beside_another_tracer(reads_of):
    def tracer(_frame, _event, _argument):
        return None

    before = sys.gettrace()
    try:
        sys.settrace(None)
        reads_of('data["filter"]["color"]', {"filter": "a"})
        assert sys.gettrace() is None
        sys.settrace(tracer)
        found = reads_of('data["filter"]["color"]', {"filter": "a"})
        assert sys.gettrace() is tracer
        assert ("filter", "a") not in found
    finally:
        sys.settrace(before)


@pytest.mark.parametrize("body", ['data["filter"]["color"]', "raise RuntimeError"])
def test_tracing_ends_with_the_request(tmp_path, body):
    traced, file = [], tmp_path / "orders.py"
    source = SOURCE.replace("{body}", f"traced.append(sys.gettrace()); {body}")
    file.write_text(source)
    names = {"__name__": "orders", "traced": traced, "sys": sys}
    exec(compile(source, str(file), "exec"), names)
    before = sys.gettrace()
    try:
        sys.settrace(None)
        with ReadRecorder(names["app"]) as recorder:
            recorder.begin()
            names["app"].test_client().post("/orders", json={"filter": "a"})
            assert sys.gettrace() is None  # before the process is compared with its former state
            recorder.take()
    finally:
        sys.settrace(before)
    assert traced[0] is not None


@pytest.mark.parametrize(
    ("document", "expected"),
    [({"a": 1}, False), ({"a": "b"}, True), ([[["b"]]], True), ("b", False), (None, False)],
)
def test_only_documents_with_texts_inside_are_watched(document, expected):
    assert has_text(document) is expected
