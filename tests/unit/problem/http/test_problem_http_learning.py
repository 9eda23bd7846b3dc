from __future__ import annotations

from base64 import b64encode
from dataclasses import replace
from random import Random

import pytest
from toy_application import answer
from toy_application import page
from toy_application import path_endpoint

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.choice import ChoiceGene
from pytest_evosearch.genes.choice import EnumGene
from pytest_evosearch.genes.collections import ArrayGene
from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.scalars import FloatGene
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.http.descriptions.guesses import PASSWORD
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import Parameter
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import LinkGene
from pytest_evosearch.problem.http.exchanges.links import PrefixedGene
from pytest_evosearch.problem.http.exchanges.links import renamed
from pytest_evosearch.problem.http.exchanges.responses import MISSING
from pytest_evosearch.problem.http.exchanges.seen_inside import Read
from pytest_evosearch.problem.http.filling.fullness import Fullness
from pytest_evosearch.problem.http.filling.pool import ValuePool
from pytest_evosearch.problem.http.http_problem import HttpProblem
from pytest_evosearch.problem.http.learning.linking import _link
from pytest_evosearch.problem.http.learning.producers import Candidate
from pytest_evosearch.problem.http.learning.producers import Product

POST = Endpoint("POST", "/orders", "orders")


def learnt(*reads: Read, endpoint: Endpoint = POST) -> EndpointModel:
    model = EndpointModel([endpoint])
    model.learn(Exchange(Request(endpoint.method, endpoint.template), answer(400), reads=reads))
    return model


def gene_after(read: Read) -> object:
    model = learnt(read)
    (parameter,) = model.endpoint(POST.key).parameters
    return parameter.gene


def test_reads_become_typed_parameters():
    assert isinstance(gene_after(Read("query", ("page",), False, "int", 1)), IntegerGene)
    assert isinstance(gene_after(Read("query", ("tag",), False, "list")), ArrayGene)
    assert isinstance(gene_after(Read("form", ("ratio",), False, "float")), FloatGene)
    assert isinstance(gene_after(Read("query", ("limit",), False, None, 10)), ChoiceGene)
    assert gene_after(Read("query", ("sort",), False, None, "asc")) == TextGene(current="asc")
    assert isinstance(gene_after(Read("header", ("X-Key",), False)), TextGene)


@pytest.mark.parametrize("header", ["Content-Type", "host", "Cookie", "Content-Length"])
def test_framework_headers_are_no_parameters(header):
    model = learnt(Read("header", (header,), False), endpoint=Endpoint("GET", "/x", "x"))
    assert model.endpoint("GET /x").parameters == ()


def test_content_type_of_a_writing_endpoint_suggests_bodies():
    model = learnt(Read("header", ("Content-Type",), False))
    assert model.body_kinds(POST.key) == [Location.JSON, Location.TEXT]


def test_bodies_of_reading_methods_are_ignored():
    model = learnt(Read("form", ("a",), False), endpoint=Endpoint("GET", "/x", "x"))
    assert model.endpoint("GET /x").parameters == ()


def test_json_paths_build_a_gene_tree():
    model = learnt(
        Read("json", (), True),
        Read("json", ("author", "name"), False),
        Read("json", ("lines", 0, "price"), False),
        Read("json", ("author", "age"), False, "int"),
    )
    body = model.parameter(POST.key, (Location.JSON, "")).gene
    assert isinstance(body, ObjectGene)
    assert body.value() == {
        "author": {"name": "a", "age": 1},
        "lines": [{"price": 1.0}],
    }


def test_unknown_locations_and_methods_do_no_harm():
    model = learnt(Read("environment", ("x",), True), Read("query", (), True))
    assert model.endpoint(POST.key).parameters == ()


def _observed(endpoint: Endpoint, text: str, *comparisons: Comparison) -> Evaluation:
    given = tuple(Input(p.location, p.name, p.gene.adopt(text)) for p in endpoint.parameters)
    individual = Individual((Call(endpoint.key, given, 1),))
    request = Request("GET", endpoint.template, {given[0].name: text})
    observation = Observation(individual, (Exchange(request, answer(400)),), comparisons)
    scores = {comparison.target: 0.5 for comparison in comparisons}
    return Evaluation(individual, scores, (1, 1), observation)


def test_parsed_text_becomes_a_number_here_and_under_the_same_name():
    first, second = path_endpoint("/a/{n}"), path_endpoint("/b/{n}/{s}")
    problem = HttpProblem([first, second])
    problem.learn(_observed(first, "abc", Comparison("branch x", "parse", "abc", "int")))
    for key in ("GET /a/{n}", "GET /b/{n}/{s}"):
        gene = problem.known.model.endpoint(key).parameters[0].gene
        assert isinstance(gene, ChoiceGene)
        assert isinstance(gene.alternatives[0], IntegerGene)
    assert isinstance(problem.known.model.endpoint("GET /b/{n}/{s}").parameters[1].gene, TextGene)


def test_compared_numbers_need_confirmation():
    endpoint = path_endpoint("/a/{n}")
    problem = HttpProblem([endpoint])
    problem.learn(_observed(endpoint, "1", Comparison("branch x", "<", 1, 10)))
    assert isinstance(problem.known.model.endpoint(endpoint.key).parameters[0].gene, TextGene)
    problem.learn(_observed(endpoint, "2.5", Comparison("branch x", "<", 2.5, 10)))
    gene = problem.known.model.endpoint(endpoint.key).parameters[0].gene
    assert isinstance(gene.alternatives[0], FloatGene)


FORM_PAGE = """<html><table><form method="post" action="/orders" enctype="multipart/form-data"><tr>
<input type="hidden" name="csrf_token" value="secret"><input name="age" type="number" min="18">
<select name="size"><option value="s">S<option value="m" selected>M</select>
<textarea name="note" maxlength="9">hello</textarea><input type="password" name="new">
<input type="file" name="photo">
<input type="submit" value="Go"></form></table></html>"""


def test_html_forms_teach_fields_and_tokens():
    show = Endpoint("GET", "/orders/new", "new")
    problem = HttpProblem([show, POST])
    individual = Individual((Call(show.key, (), 1),))
    seen = Exchange(Request("GET", show.template), page(FORM_PAGE))
    problem.learn(Evaluation(individual, {}, (1, 0), Observation(individual, (seen,))))
    parameters = problem.known.model.endpoint(POST.key).parameters
    genes = {one.name: (one.location, one.gene) for one in parameters}
    assert genes["age"] == (Location.FORM, IntegerGene(18, None, 18))
    assert genes["size"] == (Location.FORM, EnumGene(("s", "m")))
    assert genes["note"][1] == TextGene(0, 9, current="hello")
    assert genes["photo"][0] is Location.FILE
    assert genes["new"][1].value() == PASSWORD
    assert genes["csrf_token"][1].value() != "secret"  # of one session, for a while
    linked = [
        given.gene
        for seed in range(40)
        for call in _later_sample(problem, seed).calls
        for given in call.inputs
        if given.name == "csrf_token" and isinstance(given.gene, LinkGene)
    ]
    assert linked
    assert linked[0].selector == ("form", "csrf_token")


LOGIN_PAGE = """<form method="post"><input type="hidden" name="csrf_token" value="secret">
<input name="name"></form>"""


def test_what_was_refused_without_its_token_is_sent_with_it_by_somebody_who_sees_the_form():
    show, send = Endpoint("GET", "/login", "show"), Endpoint("POST", "/login", "send")
    problem = HttpProblem([show, send], users=["ann"])
    rng = Random(1)
    for _ in range(4):  # each by everybody, while nobody knows what is to be sent
        individual = problem.sample(rng)
        call = individual.calls[0]
        response = page("refused", 400)
        if call.endpoint == show.key:
            response = page("", 302) if call.user == "ann" else page(LOGIN_PAGE)
        seen = Exchange(Request(*call.endpoint.split()), response, user=call.user)
        problem.learn(Evaluation(individual, {"t": 1.0}, (1, 0), Observation(individual, (seen,))))

    visits = [problem.sample(rng) for _ in range(4)]

    visit = next(visit for visit in visits if visit.calls[-1].endpoint == send.key)
    assert [(call.endpoint, call.user) for call in visit.calls] == [
        (show.key, None),
        (send.key, None),
    ]
    genes = {given.name: given.gene for given in visit.calls[-1].inputs}
    assert isinstance(genes["csrf_token"], LinkGene)


def test_a_form_that_comes_once_more_is_sent_with_the_token_of_its_page():
    """The answer to what was sent without it shows the form, too, but stands behind it."""
    show, send = Endpoint("GET", "/login", "show"), Endpoint("POST", "/login", "send")
    problem = HttpProblem([show, send])
    for endpoint in (send, show):
        individual = Individual((Call(endpoint.key, (), 1),))
        seen = Exchange(Request(endpoint.method, endpoint.template), page(LOGIN_PAGE))
        problem.learn(Evaluation(individual, {}, (1, 0), Observation(individual, (seen,))))

    later = [_later_sample(problem, seed).calls for seed in range(60)]

    sources = [
        next(call.endpoint for call in calls if call.label == given.gene.label)
        for calls in later
        for given in calls[-1].inputs
        if given.name == "csrf_token" and isinstance(given.gene, LinkGene)
    ]
    assert len(sources) > 5
    assert set(sources) == {show.key}


def test_a_log_in_on_the_way_is_sent_with_the_token_of_its_page():
    show, send = Endpoint("GET", "/login", "show"), Endpoint("POST", "/login", "send")
    secret = Endpoint("POST", "/secret", "secret")
    problem = HttpProblem([show, send, secret])
    answers = {show.key: page(LOGIN_PAGE), send.key: page("", 400), secret.key: page("", 401)}
    rng = Random(1)
    for _ in range(30):  # until the sweep is through and the secret is known to be guarded
        individual = problem.sample(rng)
        exchanges = tuple(
            Exchange(Request(*call.endpoint.split()), answers[call.endpoint])
            for call in individual.calls
        )
        problem.learn(Evaluation(individual, {}, (1, 0), Observation(individual, exchanges)))

    later = [_later_sample(problem, seed).calls for seed in range(200)]

    on_the_way = [
        (calls[index - 1].endpoint, isinstance(given.gene, LinkGene))
        for calls in later
        for index, call in enumerate(calls[:-1])
        for given in call.inputs
        if call.endpoint == send.key and calls[index + 1].endpoint == secret.key
        if given.name == "csrf_token"
    ]
    assert len(on_the_way) > 5
    assert set(on_the_way) == {(show.key, True)}


def test_a_form_that_nobody_saw_is_sent_with_the_token_of_another_page():
    """As what a script sends, or a button of a page that is not there yet."""
    show, send = Endpoint("GET", "/login", "show"), Endpoint("POST", "/topics/lock", "lock")
    token = Parameter(Location.FORM, "csrf_token", TextGene(), source="read")
    problem = HttpProblem(
        [show, Endpoint("POST", "/login", "log_in"), replace(send, parameters=(token,))]
    )
    individual = Individual((Call(show.key, (), 1),))
    seen = Exchange(Request("GET", show.template), page(LOGIN_PAGE))
    problem.learn(Evaluation(individual, {}, (1, 0), Observation(individual, (seen,))))

    later = [_later_sample(problem, seed).calls for seed in range(60)]

    sent = [calls for calls in later if calls[-1].endpoint == send.key and calls[-1].inputs]
    linked = [calls for calls in sent if isinstance(calls[-1].inputs[0].gene, LinkGene)]
    assert linked
    assert linked[0][-2].endpoint == show.key


def test_whoever_was_not_turned_away_may_send_a_form():
    """Only a few pages of an endpoint are parsed: the last of many users may be the one to try."""
    show, send = Endpoint("GET", "/login", "show"), Endpoint("POST", "/login", "send")
    problem = HttpProblem([show, send], users=["ann", "bob", "eve", "joe"])
    individual = Individual((Call(show.key, (), 1),))
    for user in (None, "ann", "bob", "eve"):
        response = page("", 302) if user is None else page(LOGIN_PAGE)
        seen = Exchange(Request("GET", show.template), response, user=user)
        problem.learn(Evaluation(individual, {}, (1, 0), Observation(individual, (seen,))))

    later = [_later_sample(problem, seed).calls[-1] for seed in range(80)]

    senders = {call.user for call in later if call.endpoint == send.key and call.inputs}
    assert senders >= {"ann", "bob", "eve", "joe"}


def _later_sample(problem: HttpProblem, seed: int) -> Individual:
    return problem.sample(Random(seed))


def test_token_of_a_login_goes_behind_bearer():
    login, secret = Endpoint("POST", "/login", "login"), Endpoint("GET", "/secret", "secret")
    problem = HttpProblem([login, secret])
    individual = Individual((Call(login.key, (), 1), Call(secret.key, (), 2)))
    exchanges = (
        Exchange(Request("POST", "/login"), answer(200, {"access_token": "abc"})),
        Exchange(
            Request("GET", "/secret"),
            answer(401),
            reads=(Read("header", ("Authorization",), False),),
        ),
    )
    problem.learn(Evaluation(individual, {}, (2, 0), Observation(individual, exchanges)))
    genes = [
        given.gene
        for seed in range(60)
        for call in problem.sample(Random(seed)).calls
        for given in call.inputs
        if isinstance(given.gene, PrefixedGene)
    ]
    assert genes
    assert genes[0].prefix == "Bearer "
    assert genes[0].gene.selector == ("json", "access_token")


def test_a_link_that_is_cut_and_made_again_nests_nothing():
    gene: Gene = TextGene(current="x")
    product = Product("POST /login", ("json", "token"), "token", False)
    for _ in range(5):
        linked = _link(Candidate(product, 1.0, "Bearer "), 1, gene)
        gene = renamed(linked, {})  # the call that it leads to was removed

    assert linked == PrefixedGene(LinkGene(1, ("json", "token"), TextGene(current="x")), "Bearer ")


def test_sweep_calls_every_endpoint_by_nobody_first_then_for_every_user():
    endpoints = [Endpoint("GET", f"/{name}", name) for name in "abc"]
    problem = HttpProblem(endpoints, users=("ann", "bob"))
    rng = Random(1)
    seen = [(call.endpoint, call.user) for _ in range(9) for call in problem.sample(rng).calls]
    assert seen == [(e.key, user) for user in (None, "ann", "bob") for e in endpoints]


@pytest.mark.parametrize(
    ("text", "status", "senders"),
    [
        ("The CSRF token is missing.", 400, [None]),
        ("The name is missing.", 400, [None, "ann", "bob"]),
        ('<form><input name="csrf_token" value="x"></form> Too short.', 422, [None, "ann", "bob"]),
    ],
)
def test_what_refuses_everybody_without_a_token_is_not_asked_by_others(text, status, senders):
    endpoints = [Endpoint("POST", "/topics", "add"), Endpoint("GET", "/topics", "show")]
    problem = HttpProblem(endpoints, users=("ann", "bob"))
    rng = Random(1)
    first = problem.sample(rng)
    refused = Exchange(Request("POST", "/topics"), page(text, status))
    problem.learn(Evaluation(first, {}, (1, 0), Observation(first, (refused,))))
    calls = [call for _ in range(8) for call in problem.sample(rng).calls]
    seen = [(call.endpoint, call.user) for call in (*first.calls, *calls)]
    last = seen.index(("GET /topics", "bob"))
    assert [user for key, user in seen[:last] if key == "POST /topics"] == senders


def test_seeds_of_the_user_are_sent_first():
    endpoint = path_endpoint("/u/{name}")
    problem = HttpProblem([endpoint], seeds={"name": ["alice"]})
    (call,) = problem.sample(Random(1)).calls
    assert call.inputs[0].gene.value() == "alice"


def test_constants_near_the_focus_come_first():
    pool = ValuePool()
    pool.add_constants("a.py", [("near", 10), ("far", 200), (7, 10), (True, 1), ("x\ny", 10)])
    pool.add_constants("b.py", ["other", b"bytes"])
    rng = Random(3)
    identity = (Location.QUERY, "q")

    def picks(gene: object, focus: str | None) -> list[object]:
        return [pool.pick(rng, "GET /", identity, "q", gene, focus) for _repeat in range(200)]

    texts = picks(TextGene(), "branch a.py:12#2 true")
    assert set(texts) == {"near", "far", "other", "bytes"}
    assert texts.count("near") > 80
    assert set(picks(IntegerGene(), None)) == {7}
    assert ValuePool().pick(rng, "GET /", identity, "q", TextGene()) is MISSING


def test_a_token_that_ends_is_not_kept_for_other_tests() -> None:
    claims = b64encode(b'{"exp": 4000000000}').decode().rstrip("=")
    pool = ValuePool()
    pool.add_seen("token", f"eyJhbGciOiJIUzI1NiJ9.{claims}.c2ln")
    pool.add_seen("token", "t0k3n")
    assert pool.known("token") == ["t0k3n"]


def test_plain_calls_send_no_optional_input():
    model = learnt(Read("query", ("q",), False))
    problem = HttpProblem(model.endpoints)
    plain, full = problem.sample(Random(1)), problem.sample(Random(1))
    assert plain.calls[0].inputs == ()
    assert [given.name for given in full.calls[0].inputs] == ["q"]
    assert Fullness.PLAIN is not Fullness.FULL


@pytest.mark.parametrize(
    "response",
    [
        page("<a href=\"/posts/7\">seventh</a> <a href='/elsewhere/8'>other</a>"),
        page('<a href="http://localhost/posts/7?page=2#end">seventh</a>'),
        answer(200, {"_links": {"self": "/posts/7", "up": "/posts"}}),
    ],
)
def test_links_tell_values_of_path_parameters(response) -> None:
    index, show = Endpoint("GET", "/", "index"), path_endpoint("/posts/{post_id}")
    problem = HttpProblem([index, show])
    call = Individual((Call(index.key, (), 1),))
    exchange = Exchange(Request("GET", "/"), response)
    problem.learn(Evaluation(call, {}, (1, 0), Observation(call, (exchange,))))
    assert problem.known.pool.known("post_id") == ["7"]
