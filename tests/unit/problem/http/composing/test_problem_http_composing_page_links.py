from __future__ import annotations

from collections.abc import Sequence

from toy_application import answer
from toy_application import page
from toy_application import path_endpoint

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.http.composing.page_links import LEADS_PER_ENDPOINT
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.http_problem import HttpProblem

LIST = Endpoint("GET", "/repos", "repos")
FILE = path_endpoint("/{repo}/blob/{rev}/{path}")
SEARCH = Endpoint("GET", "/search", "search")
MAKE = Endpoint("POST", "/repos", "make")

PAGE = """
<a href="/one/blob/master/read%20me">a file</a> <a href="two/blob/v1/b">another</a>
<a href="/search?q=a&amp;sort=name">search</a> <a href="/search">no values</a>
<a href="https://example.org/x/blob/y/z">elsewhere</a> <a href="mailto:ann@example.org">mail</a>
"""


def leads_of(body: str, earlier: Sequence[Endpoint] = (), user: str = "ann") -> list[Call]:
    """Return the calls that are made of a page: nothing else has inputs and is sent by `user`."""
    problem = HttpProblem([LIST, FILE, SEARCH, MAKE])
    endpoints = [*earlier, LIST]
    calls = [Call(one.key, (), place + 1, user) for place, one in enumerate(endpoints)]
    exchanges = [Exchange(Request(one.method, one.template), answer(201)) for one in earlier]
    exchanges.append(Exchange(Request("GET", "/repos"), page(body), user))
    individual = Individual(tuple(calls))
    observation = Observation(individual, tuple(exchanges))
    problem.learn(Evaluation(individual, {}, (len(calls), 0), observation))
    tried = [problem.sample(Random(1)) for _ in range(20)]
    return [one.calls[0] for one in tried if one.calls[0].user == user and one.calls[0].inputs]


def values_of(call: Call) -> dict[str, object]:
    return {one.name: one.gene.value() for one in call.inputs}


def test_links_are_tried_as_they_stand_on_the_page() -> None:
    first, second, third = leads_of(PAGE)[:3]

    assert (first.endpoint, first.user) == (FILE.key, "ann")
    assert values_of(first) == {"repo": "one", "rev": "master", "path": "read me"}
    assert values_of(second) == {"repo": "two", "rev": "v1", "path": "b"}
    assert values_of(third) == {"q": "a", "sort": "name"}
    assert {one.location for one in third.inputs} == {Location.QUERY}


def test_few_links_lead_to_one_endpoint() -> None:
    body = "".join(f'<a href="/one/blob/v{number}/a">a</a>' for number in range(9))

    assert [values_of(call)["rev"] for call in leads_of(body)] == ["v0", "v1", "v2"]
    assert LEADS_PER_ENDPOINT == 3


def test_what_a_test_has_changed_has_no_leads() -> None:
    assert leads_of(PAGE, earlier=[MAKE]) == []
