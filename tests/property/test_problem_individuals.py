"""Whatever is sampled, mutated or recombined stays a test that can be sent."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import settings
from hypothesis import strategies

from pytest_evosearch.core.isolation import json
from pytest_evosearch.genes.base import walk
from pytest_evosearch.genes.choice import ConstantGene
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
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import LinkGene
from pytest_evosearch.problem.http.exchanges.request import build_request
from pytest_evosearch.problem.http.exchanges.seen_inside import Read
from pytest_evosearch.problem.http.exchanges.size import size_of
from pytest_evosearch.problem.http.http_problem import HttpProblem

MOST_CALLS = 5
IDENTIFIER = Parameter(Location.PATH, "id", IntegerGene(minimum=0, current=1), required=True)
ENDPOINTS = [
    Endpoint("POST", "/things", "create"),
    Endpoint("GET", "/things", "list"),
    *(Endpoint(m, "/things/{id}", m, (IDENTIFIER,)) for m in ("GET", "PUT", "DELETE")),
]
READS = (Read("json", ("name",), False), Read("json", ("thing_id",), False))


def trained(rng: Random) -> tuple[HttpProblem, list[Individual]]:
    """Return a problem that has seen answers, and individuals that it made on the way."""
    problem = HttpProblem(ENDPOINTS, users=("ann",), max_calls=MOST_CALLS)
    individuals = []
    for _ in range(16):
        individual = problem.sample(rng)
        exchanges = executed(problem, individual)
        scores = {f"branch x.py:{len(individual)} true": rng.random()}
        observation = Observation(individual, exchanges)
        problem.learn(Evaluation(individual, scores, size_of(individual), observation))
        individuals.append(individual)
    return problem, individuals


def executed(problem: HttpProblem, individual: Individual) -> tuple[Exchange, ...]:
    earlier: dict[int, tuple[int, Exchange]] = {}
    for index, call in enumerate(individual.calls):
        request = build_request(call, problem.known.model.endpoint(call.endpoint), earlier)
        body = json.dumps({"id": 40 + index, "name": "n"}).encode()
        response = Response(201, (("Content-Type", "application/json"),), body)
        reads = READS if request.method in ("POST", "PUT") else ()
        earlier[call.label] = (index, Exchange(request, response, call.user, reads=reads))
    return tuple(exchange for _index, exchange in earlier.values())


def assert_sound(problem: HttpProblem, individual: Individual) -> None:
    labels = [call.label for call in individual.calls]
    assert len(set(labels)) == len(labels)
    assert 1 <= len(individual) <= MOST_CALLS
    for exchange in executed(problem, individual):
        origins = exchange.request.origins.values()
        assert all(origin.call < len(individual) for origin in origins)
        json.dumps(exchange.request.json)
        "".join(value for _name, value in exchange.request.headers).encode("latin-1")


seeds = strategies.integers(0, 10_000)


@settings(max_examples=12, deadline=None)
@given(seeds)
def test_samples_and_mutants_are_sound(seed):
    rng = Random(seed)
    problem, individuals = trained(rng)
    for individual in individuals:
        mutant = problem.mutate(individual, rng, None)
        assert_sound(problem, individual)
        assert_sound(problem, mutant)


@settings(max_examples=12, deadline=None)
@given(seeds)
def test_children_are_sound_and_links_stay_inside(seed):
    rng = Random(seed)
    problem, individuals = trained(rng)
    for mother, father in zip(individuals, reversed(individuals), strict=True):
        for child in problem.crossover(mother, father, rng):
            assert_sound(problem, child)
            assert_links_lead_somewhere(child)


def assert_links_lead_somewhere(individual: Individual) -> None:
    labels = {call.label for call in individual.calls}
    for call in individual.calls:
        for given_input in call.inputs:
            for _path, gene in walk(given_input.gene):
                assert not isinstance(gene, LinkGene) or gene.label in labels


@settings(max_examples=12, deadline=None)
@given(seeds, strategies.sets(strategies.sampled_from([e.key for e in ENDPOINTS])))
def test_inserted_actions_keep_data_and_order(seed, chosen):
    rng = Random(seed)
    problem, individuals = trained(rng)
    receiver, donor = rng.choice(individuals), rng.choice(individuals)
    child = problem.insert_actions(receiver, donor, frozenset(chosen), rng)
    assert_sound(problem, child)
    donated = [action for action in problem.actions(donor) if action in chosen]
    remaining = iter(problem.actions(child))
    assert all(action in remaining for action in donated)
    assert (child == receiver) == (not donated)


@settings(max_examples=12, deadline=None)
@given(seeds, strategies.sampled_from([e.key for e in ENDPOINTS]))
def test_an_extension_ends_with_its_action_and_keeps_what_was_there(seed, action):
    rng = Random(seed)
    problem, individuals = trained(rng)
    for individual in (None, *individuals):
        if not problem.offers(individual, rng):
            assert len(individual) == MOST_CALLS
            continue
        extended = problem.extend(individual, action, rng)
        assert_sound(problem, extended)
        assert_links_lead_somewhere(extended)
        assert problem.actions(extended)[-1] == action
        kept = () if individual is None else individual.calls
        assert extended.calls[: len(kept)] == kept
        assert len(extended) > len(kept)


@settings(max_examples=60, deadline=None)
@given(
    strategies.recursive(
        strategies.none()
        | strategies.booleans()
        | strategies.integers()
        | strategies.floats()
        | strategies.text(strategies.characters(codec=None)),
        lambda inner: (
            strategies.lists(inner, max_size=3)
            | strategies.dictionaries(strategies.text(max_size=3), inner, max_size=3)
        ),
        max_leaves=6,
    ),
    strategies.sampled_from(list(Location)),
)
def test_any_value_can_be_sent_anywhere(value, location):
    endpoint = Endpoint("POST", "/x/{n}", "x")
    call = Call(endpoint.key, (Input(location, "n", ConstantGene(value)),), 1)
    request = build_request(call, endpoint, {})
    parts = [*request.path.values(), *(v for _k, v in (*request.query, *request.form))]
    for part in parts:
        str(part).encode("utf-8")
    for _name, text in (*request.headers, *request.cookies):
        text.encode("latin-1")
        assert "\n" not in text
    json.dumps(request.json).encode("utf-8")
    if isinstance(request.text, str):
        request.text.encode("utf-8")


@settings(max_examples=8, deadline=None)
@given(seeds)
def test_same_seed_gives_the_same_individuals(seed):
    runs = []
    for _ in range(2):
        rng = Random(seed)
        problem, individuals = trained(rng)
        runs.append([*individuals, problem.mutate(individuals[-1], rng, None)])
    assert runs[0] == runs[1]
