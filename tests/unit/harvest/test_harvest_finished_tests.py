from __future__ import annotations

from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.harvest.finished_tests import Differences
from pytest_evosearch.harvest.finished_tests import FinishedTests
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input

DUTY = frozenset({"line a:1"})


def individual(*names: str) -> Individual:
    inputs = tuple(Input(Location.QUERY, name, TextGene(current="a")) for name in names)
    return Individual((Call("GET /", inputs, 1),))


LONG, SHORT = individual("q", "page"), individual("q")


def told_elsewhere() -> list[bytes]:
    elsewhere = FinishedTests()
    elsewhere.note(LONG, SHORT, DUTY)
    return elsewhere.news()


def test_what_a_test_came_down_to_is_known_where_it_was_taken_in() -> None:
    known = FinishedTests()
    known.adopt(told_elsewhere())

    assert [(one.individual, one.duty) for one in known.forms(LONG)] == [(SHORT, DUTY)]
    assert known.individuals == (SHORT,)
    assert len(known) == 1


def test_a_short_form_gets_no_shorter() -> None:
    known = FinishedTests()
    known.adopt(told_elsewhere())

    assert [one.individual for one in known.forms(SHORT)] == [SHORT]


def test_what_is_noted_is_for_the_next_harvest() -> None:
    known = FinishedTests()
    known.note(LONG, SHORT, DUTY)

    assert known.forms(LONG) == ()
    assert known.news()
    assert known.news() == []


def test_what_cannot_be_read_here_is_left_out() -> None:
    known = FinishedTests()
    known.adopt([b"no pickle", *told_elsewhere()])

    assert known.individuals == (SHORT,)


def test_what_differed_is_known_where_it_was_taken_in() -> None:
    found = Differences({(0, ("json", "id")): "changes between runs"}, {0: ("a", "b")})
    elsewhere, known = FinishedTests(), FinishedTests()
    elsewhere.note_differences(SHORT, found)
    assert elsewhere.differences(SHORT) is None

    known.adopt(elsewhere.news())

    assert known.differences(SHORT) == found
    assert known.differences(LONG) is None
    assert len(known) == 0
