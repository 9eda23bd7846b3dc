from __future__ import annotations

from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Origin
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.learning.token_schemes import TokenSchemes


def answered(prefix: str, status: int, header: str = "Authorization") -> Exchange:
    origins = {("header", header): Origin(0, ("json", "token"), prefix)}
    return Exchange(Request("GET", "/me", origins=origins), Response(status))


def test_bearer_is_expected_before_anything_is_known() -> None:
    weights = TokenSchemes().weights()

    assert max(weights, key=lambda prefix: weights[prefix]) == "Bearer "
    assert min(weights.values()) > 0


def test_what_is_served_is_preferred_to_what_is_refused() -> None:
    schemes = TokenSchemes()
    for _ in range(12):
        schemes.learn(answered("Bearer ", 401))
        schemes.learn(answered("", 200))

    weights = schemes.weights()

    assert max(weights, key=lambda prefix: weights[prefix]) == ""
    assert weights["Bearer "] > 0


def test_other_headers_and_made_up_tokens_say_nothing() -> None:
    schemes = TokenSchemes()
    before = schemes.weights()

    schemes.learn(answered("", 200, header="X-Trace"))
    schemes.learn(Exchange(Request("GET", "/me", headers=(("Authorization", "x"),)), Response(200)))

    assert schemes.weights() == before
