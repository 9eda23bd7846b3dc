"""Tests in which tokens are forged: nothing but the token changes, and no one is logged in."""

from __future__ import annotations

from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import NOBODY
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.inquiries.forged_inquiry import MOST_ENDPOINTS
from pytest_evosearch.problem.http.inquiries.forged_inquiry import NO_TOKEN
from pytest_evosearch.problem.http.inquiries.forged_inquiry import ForgedInquirer

SIZE = Input(Location.QUERY, "size", TextGene(current="5"))
BASE = Individual((Call("GET /a", (SIZE,), 1, "ann"),))


def forge(token):
    return ["t.0", "t.1"] if token == "t.t" else []


def sent(individual):
    """Return what the calls of a test send in their headers."""
    return [
        {
            given.name: given.gene.value()
            for given in call.inputs
            if given.location is Location.HEADER
        }
        for call in individual
    ]


def test_the_token_of_a_user_is_forged():
    act = Exchange(Request("GET", "/a", query=(("size", "5"),)), Response(200), "ann")
    headers = {(Location.HEADER, "Authorization"): "Bearer t.t", (Location.HEADER, "X-Team"): "b"}
    inquirer = ForgedInquirer(forge, lambda user: headers if user == "ann" else {})
    tests = list(inquirer.tests(BASE, act))

    assert [sent(test) for test in tests] == [
        [
            {"Authorization": f"Bearer {NO_TOKEN}", "X-Team": "b"},
            {"Authorization": f"Bearer {forged}", "X-Team": "b"},
        ]
        for forged in ("t.0", "t.1")
    ]
    for call in tests[0]:
        assert call.user == NOBODY
        assert SIZE in call.inputs


def test_the_token_of_a_request_is_forged_at_a_few_endpoints():
    inquirer = ForgedInquirer(forge)
    act = Exchange(Request("GET", "/a", headers=(("X-Token", "t.t"),)), Response(200))
    made = [len(list(inquirer.tests(BASE, act))) for _ in range(MOST_ENDPOINTS + 1)]
    assert made == [2] * MOST_ENDPOINTS + [0]


def test_what_is_no_token_is_left_alone():
    act = Exchange(Request("GET", "/a", headers=(("X-Name", "ann"),)), Response(200))
    assert list(ForgedInquirer(forge).tests(BASE, act)) == []
