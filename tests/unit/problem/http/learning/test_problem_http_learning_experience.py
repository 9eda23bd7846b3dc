"""Recipes and passports: what is kept of successes, refusals and failures."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from toy_application import answer

from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.http.descriptions.endpoint_relations import Resources
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import Parameter
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import LinkGene
from pytest_evosearch.problem.http.exchanges.links import PrefixedGene
from pytest_evosearch.problem.http.exchanges.links import linked_labels
from pytest_evosearch.problem.http.exchanges.seen_inside import Read
from pytest_evosearch.problem.http.filling.pool import ValuePool
from pytest_evosearch.problem.http.learning.experience import Experience
from pytest_evosearch.problem.http.learning.experience import Extension
from pytest_evosearch.problem.http.learning.outcomes import Outcomes
from pytest_evosearch.problem.http.learning.recipes import RecipeBook
from pytest_evosearch.problem.http.learning.recipes import spliced

AUTHORIZATION = Parameter(Location.HEADER, "Authorization", TextGene(), source="read")
BODY = Parameter(Location.JSON, "", TextGene(), source="read")
ENDPOINTS = (
    Endpoint("POST", "/register", "register"),
    Endpoint("POST", "/login", "login"),
    Endpoint("GET", "/me", "me", (AUTHORIZATION,)),
    Endpoint("GET", "/mail", "mail", (AUTHORIZATION,)),
    Endpoint("POST", "/orders", "orders", (AUTHORIZATION, BODY)),
)


def token_from(label: int) -> Input:
    link = LinkGene(label, ("json", "token"), TextGene())
    return Input(Location.HEADER, "Authorization", PrefixedGene(link, "Bearer "))


REGISTER = Call("POST /register", (), 1)
LOGIN = Call("POST /login", (), 2)
LOOK = Call("GET /me", (token_from(2),), 3)


@pytest.fixture
def experience() -> Experience:
    return Experience(EndpointModel(ENDPOINTS))


def exchange(call: Call, status: int, location: str = "", body: bytes = b"") -> Exchange:
    method, _, template = call.endpoint.partition(" ")
    headers = (("Location", location),) if location else ()
    response = replace(answer(status), headers=headers, body=body)
    return Exchange(Request(method, template), response)


def learn(experience: Experience, *pairs: tuple[Call, int], improved: int = 0) -> list[bool]:
    individual = Individual(tuple(call for call, _status in pairs))
    exchanges = tuple(exchange(call, status) for call, status in pairs)
    return experience.learn(Observation(individual, exchanges), improved)


def trials_of(experience: Experience) -> list[Individual | Extension]:
    found = []
    while (trial := experience.next_trial()) is not None:
        found.append(trial)
    return found


def test_the_shortest_recipe_is_kept() -> None:
    book = RecipeBook()
    assert book.learn(Individual((REGISTER, LOGIN, LOOK)), 2, 2) is not None
    assert book.learn(Individual((LOGIN, LOOK)), 1, 2) is not None
    assert book.learn(Individual((REGISTER, LOGIN, LOOK)), 2, 2) is None
    recipe = book.draw("GET /me", None, Random(1))
    assert recipe is not None
    assert recipe.calls == (LOGIN, LOOK)


def test_a_clear_success_beats_a_shorter_page_that_may_be_the_form_again() -> None:
    book = RecipeBook()
    book.learn(Individual((LOGIN,)), 0, 1)
    assert book.learn(Individual((REGISTER, LOGIN)), 1, 2) is not None


def test_redirects_to_the_log_in_are_refusals_but_for_the_doors_themselves() -> None:
    outcomes = Outcomes(Resources(ENDPOINTS))
    assert outcomes.is_refused(exchange(LOOK, 302, "/login?next=/me"))
    assert not outcomes.is_refused(exchange(REGISTER, 302, "/login"))
    assert not outcomes.is_refused(exchange(LOOK, 302, "/elsewhere"))
    assert outcomes.is_refused(exchange(LOOK, 403))


def test_a_form_that_comes_again_is_a_doubtful_success() -> None:
    outcomes = Outcomes(Resources(ENDPOINTS))
    assert outcomes.quality(exchange(LOGIN, 200, body=b"<form>")) == 1
    assert outcomes.quality(exchange(LOGIN, 302, "/")) == 2
    assert outcomes.quality(exchange(LOGIN, 400)) == 0
    assert outcomes.quality(exchange(LOOK, 200, body=b"<form>")) == 2


def test_what_followed_a_doubtful_success_is_tried_again_after_a_clear_one(
    experience: Experience,
) -> None:
    def answer_with(*pairs: tuple[Call, int, bytes]) -> list[Individual | Extension]:
        individual = Individual(tuple(call for call, _status, _body in pairs))
        exchanges = tuple(exchange(call, status, body=body) for call, status, body in pairs)
        experience.learn(Observation(individual, exchanges), 0)
        return trials_of(experience)

    log_in = Extension("POST /register", "POST /login")
    assert log_in in answer_with((REGISTER, 200, b"<form>"))
    assert log_in not in answer_with((REGISTER, 200, b"<form>"), (LOGIN, 200, b"<form>"))
    assert log_in in answer_with((REGISTER, 302, b""))
    assert log_in not in answer_with((REGISTER, 302, b""), (LOGIN, 302, b""))


def test_splicing_keeps_what_is_there_and_leads_links_to_it() -> None:
    present = [replace(REGISTER, label=7), replace(LOGIN, label=8)]
    (added,) = spliced(present, (REGISTER, LOGIN, LOOK))
    assert added.endpoint == "GET /me"
    assert added.label == 9
    assert linked_labels(added.inputs) == [8]


def test_splicing_into_nothing_copies_the_recipe() -> None:
    added = spliced([], (REGISTER, LOGIN, LOOK))
    assert [call.endpoint for call in added] == ["POST /register", "POST /login", "GET /me"]
    assert linked_labels(added[-1].inputs) == [added[1].label]


def test_a_new_recipe_is_tried_without_what_it_may_not_need(experience: Experience) -> None:
    look = Call("GET /mail", (), 9)
    learn(experience, (REGISTER, 201), (look, 404), (LOGIN, 201), (LOOK, 200))
    trials = [trial for trial in trials_of(experience) if isinstance(trial, Individual)]
    assert Individual((REGISTER, LOGIN, LOOK)) in trials


def test_what_let_somebody_in_is_tried_wherever_somebody_was_refused(
    experience: Experience,
) -> None:
    anonymous = Call("GET /mail", (), 1)
    learn(experience, (anonymous, 401))
    learn(experience, (replace(LOOK, inputs=()), 401))
    assert experience.admission.draw("GET /mail", Random(1)) is None
    learn(experience, (REGISTER, 201), (LOGIN, 201), (LOOK, 200))
    (passport,) = experience.admission.passports
    assert passport.calls == (REGISTER, LOGIN)
    assert passport.credentials == (token_from(2),)
    assert experience.admission.draw("GET /mail", Random(1)) is passport
    assert Extension(None, "GET /mail") in trials_of(experience)


def test_a_shorter_way_in_replaces_a_longer_one(experience: Experience) -> None:
    learn(experience, (replace(LOOK, inputs=()), 401))
    learn(experience, (REGISTER, 201), (LOGIN, 201), (LOOK, 200))
    learn(experience, (LOGIN, 201), (LOOK, 200))
    (passport,) = experience.admission.passports
    assert passport.calls == (LOGIN,)


def test_a_failure_keeps_the_test_that_got_furthest(experience: Experience) -> None:
    order = Call("POST /orders", (), 1)

    def fail(call: Call, status: int, reach: int) -> None:
        individual = Individual((call,))
        experience.learn(Observation(individual, (exchange(call, status),), reach=reach), 0)

    fail(order, 422, 5)
    deeper = replace(order, inputs=(Input(Location.JSON, "", TextGene(current="x")),))
    fail(deeper, 409, 9)
    fail(order, 400, 3)
    assert experience.attempts["POST /orders"].calls == (deeper,)
    learn(experience, (order, 201))
    assert "POST /orders" not in experience.attempts


def test_a_failure_in_mid_test_that_read_more_is_kept_with_the_calls_before_it(
    experience: Experience,
) -> None:
    order, look = Call("POST /orders", (), 1), Call("GET /orders", (), 2)
    experience.learn(Observation(Individual((order,)), (exchange(order, 422),), reach=5), 0)
    further = replace(exchange(order, 422), reads=(Read("json", ("code",), True),))
    second = replace(order, label=2)

    tried = Individual((REGISTER, second, look))
    answers = (exchange(REGISTER, 201), further, exchange(look, 200))
    experience.learn(Observation(tried, answers), 3)

    assert experience.attempts["POST /orders"].calls == (REGISTER, second)
    assert experience.news["POST /orders"] == 2


def test_an_endpoint_that_is_stuck_is_tried_after_every_other_success(
    experience: Experience,
) -> None:
    order = Call("POST /orders", (), 1)
    experience.learn(Observation(Individual((order,)), (exchange(order, 409),), reach=4), 1)
    assert experience.next_far_trial() is None
    learn(experience, (REGISTER, 201))
    assert experience.next_far_trial() == Extension("POST /register", "POST /orders")
    assert experience.next_far_trial() is None


def test_stored_values_are_known_by_name() -> None:
    pool = ValuePool()
    for value in range(1, 9):
        pool.add_stored("product_id", value)
    pool.add_seen("productId", 77)
    assert pool.known("product_id")[:4] == [1, 2, 3, 77]
    assert pool.stored(Random(1), "productId") in range(1, 9)


def test_responses_without_a_status_are_no_successes() -> None:
    outcomes = Outcomes(Resources(ENDPOINTS))
    frozen = Exchange(Request("GET", "/me"), None, frozen=True)
    assert outcomes.quality(frozen) == 0
    assert not outcomes.is_refused(frozen)
    assert outcomes.quality(replace(frozen, response=Response(500))) == 0


def test_links_are_counted_once_each() -> None:
    call = Call("GET /me", (token_from(4), Input(Location.QUERY, "n", IntegerGene())), 5)
    assert linked_labels(call.inputs) == [4]


def test_a_test_that_lacked_answers_waits_until_endpoints_were_visited(experience) -> None:
    waiting = Individual((LOOK,))
    experience.follow_up(waiting)
    experience.follow_up(waiting)

    assert trials_of(experience) == []
    assert (experience.next_answered(), experience.next_answered()) == (waiting, None)
