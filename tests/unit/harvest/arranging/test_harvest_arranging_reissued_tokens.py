from __future__ import annotations

import json

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.choice import ConstantGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.harvest.arranging.reissued_tokens import ReissuedTokens
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import Link

YESTERDAY = "eyJlbWFpbCI6ImFAZXhhbXBsZS5jb20ifQ.awdEnA.Ac4wfFbK5YUToyfM2KfsvXqz6vM"
TODAY = "eyJlbWFpbCI6ImFAZXhhbXBsZS5jb20ifQ.awdFxB.Bd5wfFbK5YUToyfM2KfsvXqz7wN"
REGISTER, LOG_IN = Call("POST /register", (), 4), Call("POST /login", (), 7)


def answered(endpoint: str, answer: object, status: int = 200) -> Exchange:
    method, path = endpoint.split(" ")
    headers = (("Content-Type", "application/json"),)
    return Exchange(Request(method, path), Response(status, headers, json.dumps(answer).encode()))


def tokens(answer: object, status: int = 200, constants: tuple[str, ...] = ()) -> ReissuedTokens:
    found = ReissuedTokens(constants)
    found.note(
        Individual((REGISTER, LOG_IN)),
        [answered("POST /register", {}), answered("POST /login", answer, status)],
    )
    return found


def refreshing(gene: Gene, name: str = "refresh") -> Call:
    return Call("POST /refresh", (Input(Location.QUERY, name, gene),), 1)


def test_token_of_an_earlier_test_is_issued_by_the_calls_that_it_takes() -> None:
    test = Individual((refreshing(TextGene(current=YESTERDAY)),))

    issued = tokens({"data": {"refresh": TODAY}}).reissued(test)

    assert [call.endpoint for call in issued] == ["POST /register", "POST /login", "POST /refresh"]
    _register, log_in, refresh = issued
    assert len({call.label for call in issued}) == 3
    assert refresh.inputs[0].gene.value() == Link(log_in.label, ("json", "data", "refresh"), "a")


def test_calls_that_the_test_has_are_used() -> None:
    test = Individual((LOG_IN, refreshing(TextGene(current=YESTERDAY))))

    issued = tokens({"refresh": TODAY}).reissued(test)

    assert [call.endpoint for call in issued] == ["POST /register", "POST /login", "POST /refresh"]
    assert issued.calls[2].inputs[0].gene.value() == Link(7, ("json", "refresh"), "a")


def test_the_shortest_way_to_a_token_is_taken() -> None:
    found = tokens({"refresh": TODAY})
    found.note(Individual((LOG_IN,)), [answered("POST /login", {"refresh": TODAY})])

    issued = found.reissued(Individual((refreshing(TextGene(current=YESTERDAY)),)))

    assert [call.endpoint for call in issued] == ["POST /login", "POST /refresh"]


def test_what_does_not_expire_or_is_called_otherwise_stays() -> None:
    good = tokens({"refresh": TODAY})
    for found, gene, name in (
        (good, TextGene(current=TODAY), "refresh"),  # it is the same in every test
        (good, TextGene(current="a name"), "refresh"),
        (good, TextGene(current=YESTERDAY), "other"),
        (good, ConstantGene(3), "refresh"),
        (
            tokens({"refresh": TODAY}, constants=(YESTERDAY,)),
            TextGene(current=YESTERDAY),
            "refresh",
        ),
        (tokens({"refresh": TODAY}, status=400), TextGene(current=YESTERDAY), "refresh"),
        (tokens({"refresh": "a name"}), TextGene(current=YESTERDAY), "refresh"),
    ):
        test = Individual((refreshing(gene, name),))
        assert found.reissued(test) == test
