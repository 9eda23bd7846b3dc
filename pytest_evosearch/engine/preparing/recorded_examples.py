"""Turns recorded requests of tests into tests of a search.

A text from an earlier response is taken from that response again: a token in a header, an id in a
path.  The client returns cookies by itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence

from pytest_evosearch.problem.http.composing.examples import ExampleCall
from pytest_evosearch.problem.http.composing.examples import ExampleTest
from pytest_evosearch.problem.http.composing.examples import Joined
from pytest_evosearch.problem.http.composing.examples import Part
from pytest_evosearch.problem.http.composing.examples import joined
from pytest_evosearch.problem.http.exchanges.json_places import walk_json
from pytest_evosearch.sut.watching.recorded_requests import RecordedRequest
from pytest_evosearch.sut.watching.recorded_requests import RecordedTest

SHORTEST_TEXT = 8
"""Characters from which a text identifies the response that contained it."""

Known = Mapping[str, Part]


def examples_from(tests: Iterable[RecordedTest]) -> Iterator[ExampleTest]:
    """Yield what each test has sent, as a test of the search."""
    for test in tests:
        yield ExampleTest(test.name, tuple(_calls(test.requests)))


def _calls(requests: Sequence[RecordedRequest]) -> Iterator[ExampleCall]:
    texts: dict[str, Part] = {}
    ids: dict[str, Part] = {}
    received: set[str] = set()
    for index, request in enumerate(requests):
        yield _call(request, texts, ids, received)
        received.update(request.set_cookies)
        sent = _texts_sent(request)
        for place, value in walk_json(request.answer):
            part = Part(index, ("json", *place))
            if isinstance(value, str) and len(value) >= SHORTEST_TEXT and value not in sent:
                texts.setdefault(value, part)
            is_id = isinstance(value, str | int) and not isinstance(value, bool)
            if is_id and request.method == "POST" and str(value) not in sent:
                ids.setdefault(str(value), part)


def _call(request: RecordedRequest, texts: Known, ids: Known, received: set[str]) -> ExampleCall:
    options: dict[str, object] = {
        "headers": {name: _from_answers(value, texts) for name, value in request.headers},
        "cookies": {
            name: _from_answers(value, texts)
            for name, value in request.cookies
            if name not in received
        },
        "query_string": {name: _from_answers(value, texts) for name, value in request.query},
    }
    for name, value in (request.body or {}).items():
        options[name] = _replaced(value, texts)
    return ExampleCall(request.method, _path(request.path, {**ids, **texts}), options)


def _path(path: str, known: Known) -> str | Joined:
    pieces: list[str | Part] = []
    for position, segment in enumerate(path.split("/")):
        pieces += ["/"] if position else []
        pieces.append(known.get(segment, segment))
    return joined(pieces)


def _from_answers(text: str, known: Known) -> object:
    """Return a text, or the response value it comes from; ``Bearer`` or so may precede it."""
    if text in known:
        return known[text]
    before, space, rest = text.rpartition(" ")
    return joined([before + space, known[rest]]) if space and rest in known else text


def _replaced(value: object, known: Known) -> object:
    if isinstance(value, str):
        return known.get(value, value)
    if isinstance(value, dict):
        return {name: _replaced(held, known) for name, held in value.items()}
    if isinstance(value, list):
        return [_replaced(held, known) for held in value]
    return value


def _texts_sent(request: RecordedRequest) -> set[str]:
    """Return the texts of a request: a response that repeats them is not their origin."""
    held = [value for _name, value in (*request.query, *request.headers, *request.cookies)]
    held += [str(value) for _place, value in walk_json(request.body or {})]
    return {*held, *request.path.split("/")}
