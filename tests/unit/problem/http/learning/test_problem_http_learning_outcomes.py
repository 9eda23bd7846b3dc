"""Walls: a page to which everybody is sent, until something was done that a mail asks for."""

from __future__ import annotations

from random import Random

import pytest

from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.http.descriptions.endpoint_relations import Resources
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.exchange import Origin
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import LinkGene
from pytest_evosearch.problem.http.learning.experience import Experience
from pytest_evosearch.problem.http.learning.experience import Extension
from pytest_evosearch.problem.http.learning.learnt_refusals import TURNED_AWAY
from pytest_evosearch.problem.http.learning.learnt_refusals import Walls
from pytest_evosearch.problem.http.learning.outcomes import CLEAR_SUCCESS
from pytest_evosearch.problem.http.learning.outcomes import MAILED_SUCCESS
from pytest_evosearch.problem.http.learning.outcomes import Outcomes

PAGES = ("/posts", "/friends", "/profile", "/albums")
MAILED = ("mail", "/confirm/{token}", "token")
ENDPOINTS = (
    Endpoint("POST", "/register", "register"),
    Endpoint("POST", "/login", "login"),
    Endpoint("GET", "/confirm/{token}", "confirm"),
    *(Endpoint("GET", page, page[1:]) for page in PAGES),
)
REGISTER = Call("POST /register", (), 1)
LOGIN = Call("POST /login", (), 2)


def confirm(gene: object) -> Call:
    return Call("GET /confirm/{token}", (Input(Location.PATH, "token", gene),), 3)  # type: ignore[arg-type]


def led(template: str, location: str, method: str = "GET", mailed: bool = False) -> Exchange:
    origins = {("path", "token"): Origin(0, MAILED)} if mailed else {}
    request = Request(method, template, origins=origins)
    headers = (("Location", location),) if location else ()
    return Exchange(request, Response(302 if location else 200, headers, b""))


@pytest.fixture
def walled() -> Walls:
    walls = Walls()
    assert len(PAGES) == TURNED_AWAY
    assert [walls.learn(led(page, "/unconfirmed")) for page in PAGES] == [
        *[()] * 3,
        ("unconfirmed",),
    ]
    return walls


def test_where_many_pages_lead_to_is_a_wall(walled: Walls) -> None:
    assert walled.stop(led("/posts/{id}", "/unconfirmed", "POST"))
    assert not walled.stop(led("/posts", "/elsewhere"))
    assert not walled.stop(led("/unconfirmed", "/unconfirmed"))
    assert walled.stand_at("POST /unconfirmed")
    assert not walled.stand_at("POST /posts")
    assert walled.learn(led("/groups", "/unconfirmed")) == (), "it is known"


def test_neither_the_start_nor_the_page_above_is_a_wall() -> None:
    walls = Walls()
    for name in "abcdef":
        assert walls.learn(led(f"/{name}", "/")) == ()
        assert walls.learn(led(f"/posts/{name}", "/posts")) == ()
        assert walls.learn(led(f"/{name}", "/home", "POST")) == ()
        assert walls.learn(led(f"/{name}/{{id}}", "/home")) == ()


def test_an_address_out_of_a_mail_is_the_surest_success() -> None:
    outcomes = Outcomes(Resources(ENDPOINTS))

    assert outcomes.quality(led("/confirm/{token}", "/", mailed=True)) == MAILED_SUCCESS
    assert outcomes.quality(led("/confirm/{token}", "/")) == CLEAR_SUCCESS


def test_pages_behind_a_wall_are_tried_again_after_what_a_mail_asked_for() -> None:
    experience = Experience(EndpointModel(ENDPOINTS))
    looks = [Call(f"GET {page}", (), 3) for page in PAGES]

    def answer(call: Call, exchange: Exchange) -> list[Individual | Extension]:
        entered = (led("/register", "/login", "POST"), led("/login", "/", "POST"), exchange)
        individual = Individual((REGISTER, LOGIN, call))
        experience.learn(Observation(individual, entered), 0)
        found = []
        while (trial := experience.next_trial()) is not None:
            found.append(trial)
        return found

    for look, page in zip(looks, PAGES, strict=True):
        answer(look, led(page, "/login"))  # nobody knows the caller yet
    for look, page in zip(looks, PAGES, strict=True):
        answer(look, led(page, "/unconfirmed"))
    assert not any(f"GET {page}" in experience.recipes for page in PAGES)

    guessed = confirm(TextGene(current="a"))
    answer(guessed, led("/confirm/{token}", "/"))
    by_mail = confirm(LinkGene(1, MAILED, TextGene()))
    trials = answer(by_mail, led("/confirm/{token}", "/", mailed=True))

    way = experience.recipes.draw(by_mail.endpoint, None, Random(1))
    assert way is not None
    assert way.calls[-1] == by_mail
    assert {Extension(by_mail.endpoint, look.endpoint) for look in looks} <= set(trials)

    # What lets the caller in beyond the wall is another passport than the one that leads to it.
    before = len(experience.admission.passports)
    experience.learn(
        Observation(
            Individual((REGISTER, LOGIN, by_mail, looks[0])),
            (
                led("/register", "/login", "POST"),
                led("/login", "/", "POST"),
                led("/confirm/{token}", "/", mailed=True),
                led(PAGES[0], ""),
            ),
        ),
        0,
    )
    new = experience.admission.passports[before:]
    assert [passport.calls for passport in new] == [(REGISTER, LOGIN, by_mail)]
