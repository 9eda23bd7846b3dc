from __future__ import annotations

from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.minimize.cores import barer
from pytest_evosearch.minimize.cores import likely_cores
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import LinkGene


def fed_by(label: int) -> Input:
    return Input(Location.PATH, "id", LinkGene(label, ("json", "id"), IntegerGene(current=1)))


def sent(location: Location) -> Input:
    return Input(location, location.value, TextGene("a"))


def labels_of(individual: Individual) -> list[int]:
    return [call.label for call in individual]


def test_the_first_cores_are_the_act_alone_and_with_what_it_feeds_on() -> None:
    created = Call("POST /a", (), 1)
    other = Call("POST /b", (), 2)
    act = Call("GET /a/{id}", (fed_by(1),), 3)
    cores = [labels_of(core) for core in likely_cores(Individual((created, other, act)))]
    assert cores == [[3], [1, 3]]
    assert list(likely_cores(Individual((act,)))) == []


def test_the_next_cores_have_what_changes_something_and_what_that_feeds_on() -> None:
    form = Call("GET /login", (), 1)
    entered = Call("POST /login", (fed_by(1),), 2)
    looked = Call("GET /", (), 3)
    tried = Call("POST /login", (), 4, "stranger")
    act = Call("GET /account", (), 5, "stranger")
    cores = likely_cores(Individual((form, entered, looked, tried, act)))
    assert [labels_of(core) for core in cores] == [[5], [1, 2, 5], [1, 2, 4, 5]]


def test_bare_variants_keep_bodies_and_what_the_act_or_the_address_needs() -> None:
    preparing = Call("POST /a", (sent(Location.ROW), sent(Location.QUERY)), 1)
    act = Call("POST /b", (sent(Location.JSON), sent(Location.QUERY), sent(Location.HEADER)), 2)
    bare = [
        [[given.location.value for given in call.inputs] for call in variant]
        for variant in barer(Individual((preparing, act)))
    ]
    assert bare == [
        [[], ["json"]],
        [[], ["json", "query", "header"]],
        [["query"], ["json", "query"]],
    ]
