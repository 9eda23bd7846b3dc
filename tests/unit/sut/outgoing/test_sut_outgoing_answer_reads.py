"""Reads of an answer show which document the code expects."""

from __future__ import annotations

import json
from contextlib import contextmanager
from contextlib import suppress

import pytest

from pytest_evosearch.sut.outgoing.answer_formats import JSON
from pytest_evosearch.sut.outgoing.answer_formats import written
from pytest_evosearch.sut.outgoing.answer_reads import AnswerReads
from pytest_evosearch.sut.patches import Patches


@contextmanager
def watched(reads):
    with Patches() as patches:
        reads.watch_parsers(patches)
        yield


def sums_up(document):
    return sum(row["price"] for row in document["rows"])


USES = {
    "a member that is needed": ({}, lambda d: d["rows"], ("rows",), "needed"),
    "a member that may be missing": ({}, lambda d: d.get("rows"), ("rows",), None),
    "a list": ({"rows": "a"}, lambda d: list(d["rows"]), ("rows",), "iterated"),
    "a list of objects": ({"rows": ["a"]}, sums_up, ("rows", 0, "price"), "needed"),
    "a list by its first": ({"rows": {}}, lambda d: d["rows"][0], ("rows",), "iterated"),
    "a number": ({"count": "a"}, lambda d: 100 / d["count"], ("count",), "number"),
    "a converted number": ({"count": "a"}, lambda d: float(d["count"]), ("count",), "number"),
    "a compared number": ({"count": "a"}, lambda d: d["count"] > 3, ("count",), "number"),
    "members by names that are gone through": (
        {"of": ["b"]},
        lambda d: [d["of"][name] for name in d["of"]],
        ("of", "a"),
        "any member",
    ),
    "members by any name": ({"of": {}}, lambda d: d["of"].items(), ("of", "a"), "any member"),
    "a document with something in it": ({}, lambda d: d and d[0], ("a",), "any member"),
    "an object": ({"owner": "a"}, lambda d: d["owner"].get("name"), ("owner",), "object"),
}


@pytest.mark.parametrize("use", USES)
def test_a_use_is_noted_at_its_place(use):
    document, code, place, kind = USES[use]
    reads, text = AnswerReads(), json.dumps(document)
    with watched(reads):
        reads.serve("GET http://a/b", written(document, JSON))
        with suppress(KeyError, TypeError, ValueError, AttributeError):
            code(json.loads(text))

    noted = {read.path: read.type_name for read in reads.reads()}
    assert noted[("GET http://a/b", "json", *place)] == kind


def test_other_documents_stay_plain_and_so_do_all_where_nothing_is_recorded():
    reads = AnswerReads()
    with watched(reads):
        reads.serve("GET http://a/b", written({"a": "b"}, JSON))
        assert type(json.loads('{"a": "c"}')) is dict
        reads.clear()
        reads.is_recording = False
        reads.serve("GET http://a/b", written({"a": "b"}, JSON))
        assert type(json.loads('{"a": "b"}')["a"]) is str

    assert reads.reads() == []
