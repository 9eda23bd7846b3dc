"""Tokens of earlier responses, sent where callers are refused."""

from __future__ import annotations

import random
from types import SimpleNamespace

from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.http.doors.issued_tokens import IssuedTokens
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.links import LinkGene


def test_a_look_may_show_that_another_endpoint_changes_something():
    parameter = SimpleNamespace(
        key=(Location.QUERY, "ticket"),
        location=Location.QUERY,
        name="ticket",
        gene=TextGene(current="a"),
    )
    changing = {"POST /tickets": 1, "POST /visits": 1}
    recipes = SimpleNamespace(
        draw=lambda key, _user, _rng: SimpleNamespace(calls=(Call(key, (), 0),))
    )
    tokens = IssuedTokens(
        SimpleNamespace(endpoint=lambda _key: SimpleNamespace(parameters=[parameter])),
        SimpleNamespace(changing=changing, recipes=recipes),
        SimpleNamespace(products=lambda _key: [SimpleNamespace(numeric=False, selector=("id",))]),
    )
    base = Individual((Call("GET /desk", (), 0),))
    looks = tokens.open_to(base, None, random.Random(1))

    sent = [next(looks)]
    changing["POST /desks"] = 1
    sent.append(looks.send(SimpleNamespace(exchanges=())))

    assert [one.calls[0].endpoint for one in sent] == ["POST /tickets", "POST /visits"]
    assert all(isinstance(one.calls[-1].inputs[0].gene, LinkGene) for one in sent)
