"""A log-in names a person, and changes what others answer."""

from __future__ import annotations

import pytest

from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.http.doors.ascents import Ascent
from pytest_evosearch.problem.http.doors.ascents import Step
from pytest_evosearch.problem.http.doors.log_ins import answers_to_both
from pytest_evosearch.problem.http.doors.log_ins import are_served
from pytest_evosearch.problem.http.doors.log_ins import name_sent
from pytest_evosearch.problem.http.doors.log_ins import shortened
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input


def log_in(**fields):
    inputs = (Input(Location.FORM, name, TextGene(current=text)) for name, text in fields.items())
    return Individual((Call("POST /enter", tuple(inputs), 1),))


@pytest.mark.parametrize(
    ("fields", "told", "name"),
    [
        ({"email": "inga@example.org", "word": "cat"}, ("cat",), "inga@example.org"),
        ({"email": "acorn", "word": "cat"}, ("cat",), "cat"),
        ({"nick": "inga", "word": "cat"}, ("inga", "cat"), "inga"),
        ({"nick": "acorn"}, ("birch", "7"), ""),
    ],
)
def test_name_stands_where_a_name_is_asked_for_or_is_told_first(fields, told, name):
    individual = log_in(**fields)
    assert name_sent(Step(individual, Observation(individual, ()), compared=told)) == name


def answered(status):
    return Exchange(Request("GET", "/home"), Response(status, (), b"") if status else None)


@pytest.mark.parametrize(
    ("anonymous", "known", "served"),
    [(302, 200, True), (403, 200, True), (200, 200, False), (403, 403, False), (403, 0, False)],
)
def test_who_is_served_where_others_are_not(anonymous, known, served):
    assert are_served([(answered(200), answered(200)), (answered(anonymous), answered(known))]) is (
        served
    )


def test_each_test_is_sent_by_both():
    looks = answers_to_both([log_in(nick="inga")], "inga")
    sent = [next(looks)]
    sent.append(looks.send(Observation(sent[0], (answered(403),))))
    with pytest.raises(StopIteration) as end:
        looks.send(Observation(sent[1], (answered(200),)))
    assert [each.calls[0].user for each in sent] == [None, "inga"]
    assert [each.status for each in end.value.value[0]] == [403, 200]


def seen(individual, status, reached=("gained",)):
    return Observation(individual, (answered(status),), reached=frozenset(reached))


def test_log_in_keeps_only_what_its_response_and_the_code_behind_it_depend_on():
    whole = log_in(next="/", nick="inga", word="cat", stay="y")
    first = Step(whole, seen(whole, 403, ()))
    looks = shortened(Ascent(first, Step(whole, seen(whole, 302))))
    sent = next(looks)
    for status, reached in ((302, ("gained",)), (403, ()), (500, ("gained",))):
        sent = looks.send(seen(sent, status, reached))
    with pytest.raises(StopIteration) as end:  # without "stay", less is executed
        looks.send(seen(sent, 302, ()))

    kept = end.value.value.last.individual.calls[-1].inputs
    assert [given.name for given in kept] == ["nick", "word", "stay"]
