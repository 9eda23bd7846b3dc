"""An endpoint's answers are learnt from the calls that it makes, and from what it reads."""

from __future__ import annotations

from dataclasses import replace

from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.seen_inside import Evidence
from pytest_evosearch.problem.http.exchanges.seen_inside import Outgoing
from pytest_evosearch.problem.http.exchanges.seen_inside import Read
from pytest_evosearch.problem.http.learning.answer_learning import AnswerLearner

KEY, URL = "GET /price", "http://prices.internal/today"
NAME = f"GET {URL}"


def asking(*reads, url=URL, query=()):
    asked = Outgoing(f"GET {url}", "GET", url)
    found = tuple(Read("answer", (NAME, "json", *path), False, use) for path, use in reads)
    request = Request("GET", "/price", query=query)
    evidence = Evidence(outgoing=(asked,))
    return Exchange(request, Response(200), reads=found, evidence=evidence)


def learner():
    model = EndpointModel([Endpoint("GET", "/price", "price")])
    return model, AnswerLearner(model)


def document(model):
    return model.parameter(KEY, (Location.ANSWER, NAME)).gene.value()["json"]


def test_a_call_becomes_a_parameter_and_so_does_its_host():
    model, learning = learner()

    continued = learning.learn(Call(KEY, (), 1), asking())

    assert [one.name for one in model.endpoint(KEY).parameters] == [NAME, "prices.internal"]
    assert [one.name for one in continued.inputs] == [NAME, "prices.internal"]
    assert learning.learn(continued, asking()) is None


def test_members_lists_and_numbers_are_learnt_from_their_use():
    model, learning = learner()
    call = Call(KEY, (), 1)

    learning.learn(call, asking((("rows",), "needed"), (("count",), "needed")))
    learning.learn(call, asking((("rows",), "iterated"), (("count",), "number")))
    learning.learn(call, asking((("rows", 0, "name"), "needed")))

    found = document(model)
    assert type(found["count"]) is int
    assert list(found["rows"][0]) == ["name"]


def test_a_call_goes_on_with_its_own_values():
    _model, learning = learner()
    call = learning.learn(Call(KEY, (), 1), asking((("currency",), "needed")))
    given = call.inputs[0]
    adopted = given.gene.adopt({"status": 200, "json": {"currency": "EUR"}, "failure": ""})
    call = call.with_input(given.with_gene(adopted))

    continued = learning.learn(call, asking((("rows",), "needed")))

    answer = continued.inputs[0].gene.value()["json"]
    assert answer["currency"] == "EUR"
    assert set(answer) == {"currency", "rows"}


def test_an_object_replaces_the_text_in_which_a_member_is_needed_at_once():
    _model, learning = learner()
    call = learning.learn(Call(KEY, (), 1), asking((("hits",), "needed")))
    assert isinstance(call.inputs[0].gene.value()["json"]["hits"], str)

    continued = learning.learn(call, asking((("hits", "total"), "needed")))

    assert list(continued.inputs[0].gene.value()["json"]["hits"]) == ["total"]


def test_a_host_that_the_caller_names_is_not_learnt():
    model, learning = learner()
    named = asking(url="http://elsewhere.test/a", query=(("url", "http://elsewhere.test/a"),))

    assert learning.learn(Call(KEY, (), 1), named) is None
    assert model.endpoint(KEY).parameters == ()


def read_of(*path, use=None, default=None):
    return Read("answer", (NAME, *path), False, use, default)


def test_headers_formats_and_members_of_any_name_get_a_place():
    model, learning = learner()
    exchange = asking()
    reads = (
        read_of("headers", "Retry-After"),
        read_of("headers", "Retry-After", use="number"),
        read_of("headers", "Link"),
        read_of("format", default="xml"),
        read_of("json", "rates", "a", use="any member"),
        read_of("json", "row", 0, "price", use="sought"),
        read_of("json", "row", 0, "price", "#text", use="number"),
    )

    learning.learn(Call(KEY, (), 1), replace(exchange, reads=reads))

    answer = model.parameter(KEY, (Location.ANSWER, NAME)).gene.value()
    assert (answer["format"], type(answer["headers"]["Retry-After"])) == ("xml", int)
    assert answer["headers"]["Link"] == '<{url}?page=2>; rel="next"'
    assert list(answer["json"]["rates"]) == ["a"]
    assert type(answer["json"]["row"][0]["price"]) is int


def test_an_answer_begins_with_the_document_that_the_project_gives():
    model = EndpointModel([Endpoint("GET", "/price", "price")])
    asked = []
    learning = AnswerLearner(model, lambda name: asked.append(name) or {"rates": {"oats": 3}})

    learning.learn(Call(KEY, (), 1), asking())
    learning.learn(Call(KEY, (), 1), asking())

    assert document(model) == {"rates": {"oats": 3}}
    assert asked == [NAME]


def test_an_answer_that_no_parser_reads_may_be_a_text_until_one_does():
    model, learning = learner()

    def places():
        return model.parameter(KEY, (Location.ANSWER, NAME)).gene.named_parts()

    learning.learn(Call(KEY, (), 1), asking())
    assert "text" not in places()
    learning.learn(Call(KEY, (), 1), asking())
    assert "text" in places()
    learning.learn(Call(KEY, (), 1), asking(((), None)))
    assert "text" not in places()
