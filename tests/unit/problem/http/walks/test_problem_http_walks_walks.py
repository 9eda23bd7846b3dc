from __future__ import annotations

import pytest

from pytest_evosearch.core.randomness import derive
from pytest_evosearch.genes.choice import EnumGene
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import Parameter
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.links import LinkGene
from pytest_evosearch.problem.http.exchanges.request import build_request
from pytest_evosearch.problem.http.http_problem import HttpProblem
from pytest_evosearch.problem.http.walks.page_calls import PageCalls
from pytest_evosearch.problem.http.walks.walk import Guide
from pytest_evosearch.problem.http.walks.walks import Walks
from pytest_evosearch.screens.state_model import StateModel
from pytest_evosearch.search.selecting.counting import LeastUsedSelector

ENDPOINTS = {
    one.key: one
    for one in (
        Endpoint("GET", "/", "home"),
        Endpoint("GET", "/new", "new"),
        Endpoint("POST", "/new", "create"),
        Endpoint(
            "GET", "/items/{id}", "show", (Parameter(Location.PATH, "id", IntegerGene(), True),)
        ),
    )
}

HTML = (("Content-Type", "text/html; charset=utf-8"),)

PAGES = {
    "GET /": '<a href="/new">New</a>',
    "GET /new": """<form method="post"><input type="hidden" name="csrf_token" value="abc">
        <input type="hidden" name="step" value="2"><input name="title">
        <select name="kind"><option>big</option></select><button name="do" value="save">Save""",
    "GET /items/{id}": "<p>no way out</p>",
}


def answered(call: Call, earlier: dict[int, tuple[int, Exchange]]) -> Exchange:
    request = build_request(call, ENDPOINTS[call.endpoint], earlier)
    if request.method == "POST":
        return Exchange(request, Response(302, (("Location", "/items/41"),)), call.user)
    return Exchange(request, Response(200, HTML, PAGES[call.endpoint].encode()), call.user)


def make_walks(seed: int = 1, over_answers: bool = False) -> Walks:
    problem = HttpProblem(ENDPOINTS.values())
    guide = Guide(
        problem.known,
        problem.composer,
        PageCalls(problem.known),
        LeastUsedSelector(),
        StateModel(),
        over_answers=over_answers,
    )
    return Walks(guide, derive(seed, "walks"))


def told(walks: Walks, calls: list[Call]) -> list[Exchange]:
    """Answer calls, and let `walks` look for pages in the answers."""
    earlier: dict[int, tuple[int, Exchange]] = {}
    for index, call in enumerate(calls):
        earlier[call.label] = (index, answered(call, earlier))
    exchanges = [exchange for _index, exchange in earlier.values()]
    individual = Individual(tuple(calls))
    walks.look_for_pages(Evaluation(individual, {}, (1, 0), Observation(individual, (*exchanges,))))
    return exchanges


def walked(walks: Walks) -> tuple[list[Call], list[Exchange]]:
    """Go on with one walk until it is over."""
    asked = walks.ask()
    assert asked is not None
    walk = asked[1]
    earlier: dict[int, tuple[int, Exchange]] = {}
    exchanges: list[Exchange] = []
    pending = list(asked[0].calls)
    while pending:
        call = pending.pop(0)
        exchange = answered(call, earlier)
        earlier[call.label] = (len(exchanges), exchange)
        exchanges.append(exchange)
        following = None if pending else walk.next_call(exchanges)
        pending += [following] if following is not None else []
    return walk.calls, exchanges


def seen_pages(seed: int = 1) -> Walks:
    walks = make_walks(seed)
    told(walks, [Call("GET /", (), 1), Call("GET /new", (), 2)])
    return walks


def test_an_application_without_pages_is_not_walked() -> None:
    walks = make_walks()
    told(walks, [Call("GET /items/{id}", (), 1)])
    assert not walks.has_pages
    assert walks.ask() is None
    assert seen_pages().has_pages


def test_a_walk_submits_forms_with_what_the_page_holds_and_follows_redirects() -> None:
    calls, exchanges = walked(seen_pages())
    posts = [index for index, call in enumerate(calls) if call.endpoint == "POST /new"]
    assert posts
    request = exchanges[posts[0]].request
    form = dict(request.form)
    assert (form["csrf_token"], form["step"], form["do"], form["kind"]) == (
        "abc",
        "2",
        "save",
        "big",
    )
    assert "title" in form
    linked = {given.name: given.gene for given in calls[posts[0]].inputs}
    assert isinstance(linked["csrf_token"], LinkGene)
    assert not isinstance(linked["step"], LinkGene)
    followed = exchanges[posts[0] + 1].request
    assert (followed.endpoint, followed.path) == ("GET /items/{id}", {"id": "41"})
    assert followed.origins[("path", "id")].call == posts[0]


def test_a_walk_goes_back_from_a_page_without_a_way_out() -> None:
    calls, _exchanges = walked(seen_pages())
    endpoints = [call.endpoint for call in calls]
    after = endpoints.index("GET /items/{id}") + 1
    assert endpoints[after] in ("POST /new", "GET /new")
    assert len({call.label for call in calls}) == len(calls)


def test_walks_return_to_states_and_equal_seeds_walk_equally() -> None:
    def run() -> list[list[Call]]:
        walks = seen_pages(3)
        return [walked(walks)[0] for _ in range(6)]

    first = run()
    assert first == run()
    assert len({calls[0].endpoint for calls in first}) >= 1


def test_a_walk_that_was_cut_off_goes_on_with_the_next_test() -> None:
    walks = seen_pages()
    asked = walks.ask()
    assert asked is not None
    individual, walk = asked
    exchanges = told(walks, list(individual.calls))
    walks.tell(Evaluation(individual, {}, (1, 0), Observation(individual, (*exchanges,))))
    again = walks.ask()
    assert again is not None
    assert again[1] is walk
    assert again[0].calls[:-1] == individual.calls


def test_a_failure_ends_a_walk() -> None:
    walks = seen_pages()
    asked = walks.ask()
    assert asked is not None
    individual, walk = asked
    broken = Exchange(build_request(individual.calls[0], ENDPOINTS["GET /"], {}), None, frozen=True)
    assert walk.next_call([broken]) is None
    assert walk.is_over


def test_walks_over_answers_offer_every_endpoint() -> None:
    walks = make_walks(over_answers=True)
    assert walks.has_pages
    calls, _exchanges = walked(walks)
    assert len(calls) > 1


def test_walks_return_for_what_was_not_done_and_at_times_do_the_same_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    buttons = "".join(f'<button name="do" value="{one}">{one}</button>' for one in ("on", "back"))
    page = f'<form method="post" action="/new">{buttons}</form>'
    monkeypatch.setitem(PAGES, "GET /items/{id}", page)
    walks = seen_pages()
    for _ in range(40):
        walked(walks)
    places = [one for known in walks.guide.frontier._places.values() for one in known.values()]
    assert [one for one in places if one.returns]
    assert not [one for one in places if one.returns > len(one.offers) and one.untried]
    on, back = "POST /new do=on", "POST /new do=back"
    assert max(one.changes.count(on) - one.changes.count(back) for one in places) > 2


def test_each_value_of_a_part_of_an_address_is_a_request_of_its_own() -> None:
    step = Parameter(Location.PATH, "step", EnumGene(options=("pay", "send")))
    calls = PageCalls(HttpProblem([Endpoint("POST", "/orders/{step}", "step", (step,))]).known)
    offers = list(calls.requests())
    assert [one.name for one in offers] == [
        "POST /orders/{step} [step: pay]",
        "POST /orders/{step} [step: send]",
    ]
    key, given = calls.requested(offers[1])
    assert key == "POST /orders/{step}"
    assert given is not None
    assert (given.name, given.gene.value()) == ("step", "send")
