from __future__ import annotations

import pickle
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from typing import Any
from wsgiref.validate import validator

import pytest
from flask import Flask
from flask import request
from hosts import OneApplication

from pytest_evosearch.core.budget import Budget
from pytest_evosearch.core.scores import COVERED
from pytest_evosearch.core.targets import status_target
from pytest_evosearch.engine.preparing.preparation import prepared
from pytest_evosearch.engine.preparing.ready_search import Prepared
from pytest_evosearch.execution.confirming.recorded_calls import CALLS_WITHOUT_NEWS
from pytest_evosearch.execution.confirming.recorded_calls import RECORDED_LATER
from pytest_evosearch.execution.confirming.recorded_calls import RecordedCalls
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.observed import exchanges_of
from pytest_evosearch.problem.http.exchanges.observed import observed
from pytest_evosearch.problem.http.exchanges.seen_inside import Read
from pytest_evosearch.settings.checked import SearchSettings
from pytest_evosearch.settings.checked import Settings

ENDPOINT = "POST /"


@contextmanager
def ready(view: Callable[[], Any], layers: Callable[[Any], Any] | None = None) -> Iterator[Any]:
    app = Flask(__name__)
    app.add_url_rule("/", "index", view, methods=["POST"])
    if layers is not None:
        app.wsgi_app = layers(app.wsgi_app)  # type: ignore[method-assign]
    settings = Settings(Budget.parse("1x"), 1, Path.cwd(), search=SearchSettings(level=0))
    with prepared(settings, OneApplication(app), None) as found:
        yield found


def sent(size: str) -> Individual:
    return Individual((Call(ENDPOINT, (Input(Location.QUERY, "size", TextGene(size)),), 1),))


SMALL = sent("1")


def confirmed(found: Prepared, individual: Individual = SMALL) -> Evaluation[Individual]:
    return found.executor.confirmed(found.executor.evaluate(individual))


def look_at_type() -> str:
    if type(request.args).__name__ != "ImmutableMultiDict":
        raise TypeError(type(request.args).__name__)
    return request.args.get("size", "none")


def look_at_the_pickled_environ() -> tuple[dict[str, int], int]:
    keys = {name: value for name, value in request.environ.items() if isinstance(value, str)}
    pickle.dumps(keys)
    return {"exact": 1} if type(request.environ) is dict else {"other": 1}, 200


@pytest.mark.parametrize("view", [look_at_type, look_at_the_pickled_environ])
def test_what_only_recording_objects_cause_counts_nowhere(view: Callable[[], Any]) -> None:
    with ready(view) as found:
        first = confirmed(found)
        later = found.executor.evaluate(SMALL)

    assert first.scores[status_target(ENDPOINT, 200)] == COVERED
    assert not observed(first).faults
    assert not observed(first).recorded
    assert not observed(later).recorded
    (notice,) = found.executor.reading.notices()
    assert notice.startswith(f"{ENDPOINT}: ")


class Strict:
    """A layer that wants the environment to be what PEP 3333 says."""

    def __init__(self, application: Any) -> None:
        self.application = application

    def __call__(self, environ: Any, start_response: Any) -> Any:
        if type(environ) is not dict:
            raise TypeError(type(environ).__name__)
        return self.application(environ, start_response)


@pytest.mark.parametrize("layers", [Strict, validator])
def test_layers_that_want_a_builtin_environ_get_one_and_reads_are_recorded(
    layers: Callable[[Any], Any],
) -> None:
    with ready(lambda: request.args["size"], layers) as found:
        first = confirmed(found)
        later = found.executor.evaluate(sent("2"))

    assert not observed(first).faults
    (exchange,) = exchanges_of(later)
    assert (exchange.status, [read.path for read in exchange.reads]) == (200, [("size",)])
    assert observed(later).recorded
    assert not found.executor.reading.notices()


@pytest.mark.parametrize("statuses", [(200, 201), (200, 201, 201)])
def test_an_answer_that_differs_by_chance_blames_no_recording_object(
    statuses: tuple[int, ...],
) -> None:
    answers = cycle(statuses)
    with ready(lambda: ("", next(answers))) as found:
        for _ in range(3):
            confirmed(found)
        later = found.executor.evaluate(SMALL)

    assert not found.executor.reading.plain
    assert observed(later).recorded


def test_what_is_covered_with_plain_objects_alone_is_read_once_more_with_recording_ones() -> None:
    with ready(lambda: request.args["size"]) as found:
        for _ in range(CALLS_WITHOUT_NEWS + 1):
            found.executor.evaluate(Individual((Call(ENDPOINT, (), 1),)))
        plain = found.executor.evaluate(SMALL)
        (without,) = exchanges_of(plain)
        (learnt,) = exchanges_of(found.executor.confirmed(plain))

    assert (without.status, without.reads) == (200, ())
    assert [read.path for read in learnt.reads] == [("size",)]


def test_an_endpoint_without_new_reads_is_recorded_seldom() -> None:
    calls = RecordedCalls()
    recorded = []
    for _ in range(CALLS_WITHOUT_NEWS + 1 + 3 * RECORDED_LATER):
        places = calls.chosen(SMALL)
        recorded.append(bool(places))
        calls.completed([exchange(Read("query", ("size",), True))], places)

    assert all(recorded[: CALLS_WITHOUT_NEWS + 1])
    assert sum(recorded[CALLS_WITHOUT_NEWS + 1 :]) == 3
    places = frozenset([0])
    calls.completed([exchange(Read("query", ("colour",), False))], places)
    assert all(calls.chosen(SMALL) for _ in range(3))


def test_a_call_that_is_not_recorded_shows_the_known_reads_of_its_answer() -> None:
    calls = RecordedCalls()
    reads = Read("query", ("size",), True), Read("query", ("colour",), False, default="red")
    calls.completed([exchange(*reads)], frozenset([0]))

    (same,) = calls.completed([exchange(query=(("colour", "blue"),))], frozenset())
    (other,) = calls.completed([exchange(status=400)], frozenset())

    assert [(read.path, read.present) for read in same.reads] == [
        (("size",), False),
        (("colour",), True),
    ]
    assert other.reads == ()


def test_nothing_is_recorded_where_reads_cannot_be_seen() -> None:
    calls = RecordedCalls(records=False)
    assert not calls.chosen(SMALL)
    assert not calls.all(SMALL)


def exchange(*reads: Read, status: int = 200, query: tuple[tuple[str, str], ...] = ()) -> Exchange:
    return Exchange(Request("POST", "/", query=query), Response(status), reads=reads)


def test_notice_about_plain_objects_names_three_endpoints():
    recorded = RecordedCalls()
    recorded.plain = {f"GET /{name}" for name in "abcde"}

    (notice,) = recorded.notices()

    assert notice.startswith("GET /a, GET /b, GET /c and 2 more: the answer is another one ")
