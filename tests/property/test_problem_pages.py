"""Pages and headers come from the application: whatever they hold, learning goes on."""

from __future__ import annotations

from hypothesis import given
from hypothesis import settings
from hypothesis import strategies

from pytest_evosearch.core.forms import parse_forms
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.http_problem import HttpProblem

PIECES = [
    "<form",
    "<form action='http://[' method=POST>",
    "<form method=POST>",
    "</form>",
    "<input name=a type=number min=inf max=x step=0.5>",
    "<input name=b minlength=-4 maxlength=1e999 pattern='('>",
    "<input name=c type=radio value=1><input name=c type=radio value=2>",
    "<select name=d><option>",
    "<textarea name=e>",
    "<![if",
    "<!--",
    "&#x110000;",
    "text",
]
pages = strategies.lists(strategies.sampled_from(PIECES) | strategies.text(max_size=5)).map("".join)


@settings(max_examples=80, deadline=None)
@given(pages)
def test_fields_of_any_page_are_parameters_with_values(page):
    endpoint = Endpoint("POST", "/form", "form")
    problem = HttpProblem([Endpoint("GET", "/form", "form"), endpoint])
    individual = Individual((Call("GET /form", (), 1),))
    headers = (("Content-Type", "text/html"), ("Location", "http://[bad"))
    response = Response(200, headers, page.encode("utf-8", "ignore"))
    exchange = Exchange(Request("GET", "/form"), response)
    problem.learn(Evaluation(individual, {}, (1, 0), Observation(individual, (exchange,))))
    fields = {name for form in parse_forms(page) for name in form.fields}
    for parameter in problem.known.model.endpoint(endpoint.key).parameters:
        assert parameter.name in fields
        parameter.gene.value()


@settings(max_examples=40, deadline=None)
@given(strategies.text())
def test_forms_of_any_text_can_be_read(page):
    assert "x" in parse_forms(f"<form><input name=x>{page}")[0].fields
