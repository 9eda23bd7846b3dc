"""Texts that somebody might have typed, tried on a small register of users."""

from __future__ import annotations

import json

import pytest

from pytest_evosearch.execution.full_evaluation import FullEvaluation
from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.optional import Field
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.harvest.readable_texts import ReadableTexts
from pytest_evosearch.harvest.readable_texts import is_unreadable
from pytest_evosearch.harvest.readable_texts import typed_texts
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input

REGISTER, LOG_IN, PROFILE = "POST /register", "POST /login", "GET /users/{username}"
POST, SEARCH = "POST /posts", "GET /books"
LOOK_UP = "GET /books/{word}"


class Register:
    """Lets in whom it knows; covers a line for each endpoint and status."""

    def __init__(self) -> None:
        self.executions = 0

    def execute(self, individual: Individual) -> FullEvaluation[Individual]:
        self.executions += 1
        known: dict[str, str] = {}
        exchanges = tuple(self._answer(call, known) for call in individual.calls)
        covered = tuple(frozenset((f"{one.request.endpoint} {one.status}",)) for one in exchanges)
        evaluation = Evaluation(individual, {}, (0, 0), Observation(individual, exchanges))
        return FullEvaluation(evaluation, covered)

    def _answer(self, call: Call, known: dict[str, str]) -> Exchange:
        sent = [given for given in call.inputs if given.location is not Location.ROW]
        values = {given.name: str(given.gene.value()) for given in sent}
        method, template = call.endpoint.split(" ")
        request = Request(method, template, form=tuple(values.items()))
        if call.endpoint in (SEARCH, LOOK_UP):
            rows = [one.gene.value() for one in call.inputs if one.location is Location.ROW]
            is_found = any(row.get("title", row.get("name")) == values["word"] for row in rows)
            return Exchange(request, answer(200 if is_found else 404, "found or not"))
        if call.endpoint == POST:
            is_short = len(values["text"]) < 20
            return Exchange(request, answer(400 if is_short else 201, "too short"))
        name, password = values["username"], values.get("password", "")
        if call.endpoint == REGISTER:
            if not name or "@" not in values.get("email", "@"):
                return Exchange(request, answer(400, "invalid"))
            known[name] = password
            return Exchange(request, answer(201, name))
        if call.endpoint == LOG_IN:
            is_right = known.get(name) == password
            return Exchange(request, answer(200 if is_right else 401, "welcome or not"))
        return Exchange(request, answer(200 if name in known else 404, "user"))


def answer(status: int, text: str) -> Response:
    body = json.dumps({"message": text}).encode()
    return Response(status, (("Content-Type", "application/json"),), body)


def call(endpoint: str, label: int = 1, **texts: str) -> Call:
    location = Location.PATH if "{" in endpoint else Location.FORM
    inputs = [Input(location, name, TextGene(current=text)) for name, text in texts.items()]
    return Call(endpoint, tuple(inputs), label)


def readable(*calls: Call) -> list[dict[str, object]]:
    register = Register()
    base = register.execute(Individual(calls))
    texts = ReadableTexts(register.execute, lambda: False)
    [(found, duty)] = texts.improved([(base, base.covered)])
    assert duty <= found.covered
    return [
        {given.name: given.gene.value() for given in one.inputs}
        for one in found.evaluation.individual.calls
    ]


def test_a_user_gets_a_name_and_a_password() -> None:
    assert readable(call(REGISTER, username="a", password="aaaaaaa2")) == [
        {"username": "susan", "password": "secret12"}
    ]


def test_what_several_calls_send_stays_the_same() -> None:
    sent = readable(
        call(REGISTER, 1, username="a", password="a"),
        call(LOG_IN, 2, username="a", password="a"),
        call(PROFILE, 3, username="a"),
    )

    assert sent == [
        {"username": "susan", "password": "secret12"},
        {"username": "susan", "password": "secret12"},
        {"username": "susan"},
    ]


def test_different_texts_stay_different() -> None:
    sent = readable(
        call(REGISTER, 1, username="a", password="a"),
        call(LOG_IN, 2, username="a", password="b"),
    )

    assert sent[0] == {"username": "susan", "password": "secret12"}
    assert sent[1] == {"username": "susan", "password": "passwd34"}


def test_what_a_refusal_is_about_stays() -> None:
    assert readable(call(REGISTER, username="a", password="a", email="a")) == [
        {"username": "susan", "password": "secret12", "email": "a"}
    ]


def test_nothing_stays_nothing() -> None:
    assert readable(call(REGISTER, username="", password="a")) == [
        {"username": "", "password": "secret12"}
    ]


def test_what_a_served_test_may_send_a_refused_one_sends_too() -> None:
    register = Register()
    tests = [
        register.execute(Individual((call(REGISTER, username=name, password="a", place="a"),)))
        for name in ("", "a")
    ]
    texts = ReadableTexts(register.execute, lambda: False)
    found = texts.improved([(one, one.covered) for one in tests])

    sent = [one.evaluation.individual.calls[-1].inputs[-1].gene.value() for one, _ in found]
    assert sent == ["A place", "A place"]


def test_a_new_password_is_another_one() -> None:
    class Account(Register):
        def _answer(self, call: Call, known: dict[str, str]) -> Exchange:
            values = {given.name: str(given.gene.value()) for given in call.inputs}
            is_same = values["old"] == values["new"] or values["old"] != "secret12"
            return Exchange(Request("POST", "/me/password"), answer(400 if is_same else 204, ""))

    account = Account()
    base = account.execute(Individual((call("POST /me/password", old="secret12", new="aaaaaaa2"),)))
    [(found, _)] = ReadableTexts(account.execute, lambda: False).improved([(base, base.covered)])

    assert found.evaluation.individual.calls[0].inputs[1].gene.value() == "passwd34"


def test_a_text_that_has_to_be_long_keeps_its_length() -> None:
    assert readable(call(REGISTER, username="aaa", password="aaaaaa")) == [
        {"username": "ann", "password": "secret"}
    ]
    assert readable(call(POST, text="a" * 20)) == [{"text": "a" * 20}]


def test_readable_texts_cost_nothing() -> None:
    register = Register()
    base = register.execute(Individual((call(REGISTER, username="ann", password="sesame"),)))

    ReadableTexts(register.execute, lambda: False).improved([(base, base.covered)])

    assert register.executions == 1


def test_without_time_texts_stay() -> None:
    register = Register()
    base = register.execute(Individual((call(REGISTER, username="a", password="a"),)))

    found = ReadableTexts(register.execute, lambda: True).improved([(base, base.covered)])

    assert found == [(base, base.covered)]
    assert register.executions == 1


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("a", "A title"),
        ("aaaaaaa2", "secret12"),
        ("evosearch", "A title"),
        ("ann@example.com", "secret12"),
    ],
)
def test_nobody_types(text: str, typed: str) -> None:
    assert is_unreadable(text, typed)


@pytest.mark.parametrize("text", ["", "de", "1", "00", "2001", "@", "Dracula", "ann@example.com"])
def test_somebody_may_type(text: str) -> None:
    assert not is_unreadable(text, "susan@example.com")


@pytest.mark.parametrize(
    ("name", "endpoint", "text"),
    [
        ("userName", "POST /users", "susan"),
        ("email_or_username", "POST /login", "susan"),
        ("password2", "POST /register", "secret12"),
        ("new", "POST /me/password", "secret12"),
        ("name", "POST /products", "A product"),
        ("name", "POST /users", "Susan Smith"),
        ("blogTitle", "POST /posts", "A blog title"),
        ("item", "POST /orders", "An item"),
    ],
)
def test_texts_are_chosen_by_the_name_of_the_field(name: str, endpoint: str, text: str) -> None:
    assert typed_texts(name, endpoint, True)[0][0] == text


def test_a_field_that_nobody_knows_keeps_its_text_where_it_may_be_at_fault() -> None:
    assert typed_texts("expires", "POST /orders", False) == ((), ())


def searched(word: str, *rows: dict[str, str]) -> list[dict[str, object]]:
    stored = [
        Input(
            Location.ROW,
            f"shop.models.Book {number}",
            ObjectGene(tuple(Field(name, TextGene(current=text)) for name, text in row.items())),
        )
        for number, row in enumerate(rows, start=1)
    ]
    sent = Input(Location.QUERY, "word", TextGene(current=word))
    return readable(Call(SEARCH, (*stored, sent), 1))


def test_a_stored_text_that_does_not_matter_is_readable() -> None:
    rows = {"title": "deep sea", "author": "ihzu"}, {"title": "Tides", "author": "b"}
    [found] = searched("deep sea", *rows)
    assert found["shop.models.Book 1"]["author"] == "Susan Smith"
    assert found["shop.models.Book 2"] == {"title": "Another title", "author": "David Jones"}


def test_a_stored_text_that_is_searched_changes_with_the_search() -> None:
    [found] = searched("b", {"title": "b", "author": "b"})
    assert found["shop.models.Book 1"]["title"] == found["word"] == "A title"


def test_a_stored_text_that_an_address_names_is_one_word() -> None:
    stored = ObjectGene((Field("name", TextGene(current="b")),))
    row = Input(Location.ROW, "shop.models.Book 1", stored)
    named = Input(Location.PATH, "word", TextGene(current="b"))
    [found] = readable(Call(LOOK_UP, (row, named), 1))
    assert found == {"shop.models.Book 1": {"name": "book"}, "word": "book"}
