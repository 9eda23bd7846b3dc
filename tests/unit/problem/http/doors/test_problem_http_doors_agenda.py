"""Kinds of refusal take turns, and redirects name the log-in."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

import pytest

from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.doors.agenda import MOST_IN_VAIN
from pytest_evosearch.problem.http.doors.agenda import MOST_OF_A_KIND
from pytest_evosearch.problem.http.doors.agenda import Agenda
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.learning.addresses import AddressBook

PAGES = tuple(f"/pages/{letter}" for letter in "abcdefgh")


def experience(closed):
    return SimpleNamespace(
        outcomes=SimpleNamespace(
            alike=SimpleNamespace(is_only_alike=lambda key: False),
            is_refused=lambda exchange: exchange.status in (401, 403),
        ),
        recipes=SimpleNamespace(is_clear=lambda key: key not in closed),
        admission=SimpleNamespace(is_guarded=lambda key: key in closed),
        changing={},
        news=Counter(),
        attempts={},
    )


@pytest.fixture
def make():
    def agenda(*paths, closed=(), users_are_known=False):
        methods = ("GET", "POST")
        endpoints = [Endpoint(method, path, path) for path in paths for method in methods]
        model = EndpointModel(endpoints)
        callers = SimpleNamespace(admitted={}, first_owners=lambda: iter(()))
        at = AddressBook(model).endpoint_at
        return Agenda(model, experience(closed), callers, users_are_known, at), model

    return agenda


def answered(path, status, body=b"", to=""):
    headers = (("Location", to),) if to else (("Content-Type", "text/html"),)
    return Exchange(Request("GET", path), Response(status, headers, body))


def attempts(agenda):
    made = []
    while (attempt := agenda.next_attempt(pressing=True)) is not None:
        made.append(attempt)
    return made


def test_kinds_of_refusal_take_turns(make):
    shut = [f"GET {path}" for path in (*PAGES, "/api")]
    agenda, _model = make(*PAGES, "/api", closed=shut)
    for path in PAGES:
        agenda.note(answered(path, 403, b"members only"))
    agenda.note(answered("/api", 401, b"key"))

    made = [attempt.key for attempt in attempts(agenda)]

    assert made[:3] == ["GET /pages/a", "GET /api", "GET /pages/b"]
    assert len(made) == MOST_OF_A_KIND + 1


@pytest.mark.parametrize("users_are_known", [False, True])
def test_redirects_name_the_form_of_the_log_in_and_what_follows(make, users_are_known):
    agenda, model = make("/home", "/enter", "/word", users_are_known=users_are_known)
    model.forms.note("POST /enter", [(Location.FORM, "name")], "GET /enter")
    agenda.note(answered("/home", 302, to="/enter"))
    enter = Exchange(Request("POST", "/enter"), Response(302, (("Location", "/word"),), b""))
    agenda.note(enter)

    made = [(one.after, one.key) for one in attempts(agenda) if one.is_log_in]

    named = [("", "POST /enter"), ("POST /enter", "POST /word"), ("", "POST /word")]
    assert made == ([] if users_are_known else named)


def test_climbs_end_where_none_lets_anybody_in(make):
    paths = tuple(f"/p{number}" for number in range(2 * MOST_IN_VAIN))
    agenda, _model = make(*paths, closed=[f"GET {path}" for path in paths])
    for number, path in enumerate(paths):
        word = chr(ord("k") + number // 10) + chr(ord("k") + number % 10)
        agenda.note(answered(path, 403, f"no {word} for you".encode()))
    assert len(attempts(agenda)) == MOST_IN_VAIN


def test_failing_endpoint_is_climbed_again_each_time_that_a_call_gets_further(make):
    agenda, _model = make("/orders")
    learnt = agenda._experience
    learnt.recipes.is_clear = lambda key: True
    learnt.attempts["POST /orders"] = object()
    learnt.news["POST /orders"] = 1

    assert agenda.next_attempt(pressing=True) is None
    first = agenda.next_attempt(pressing=False)
    assert first is not None
    assert (first.key, first.is_failing) == ("POST /orders", True)
    assert agenda.next_attempt(pressing=False) is None
    learnt.news["POST /orders"] += 1
    assert agenda.next_attempt(pressing=False) == first


def test_log_in_that_refused_strangers_is_climbed_once_one_of_its_calls_got_further(make):
    agenda, _model = make("/orders", closed=["POST /orders"])
    learnt = agenda._experience
    learnt.recipes.is_clear = lambda key: False
    assert agenda.turns_away("POST /orders")
    agenda._idle = {True, False}

    learnt.attempts["POST /orders"] = object()
    learnt.news["POST /orders"] = 1
    attempt = agenda.next_attempt(pressing=False)

    assert attempt is not None
    assert (attempt.key, attempt.is_failing) == ("POST /orders", True)
