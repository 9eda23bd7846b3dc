"""Calls that give secrets away or hold everything up are told, once each."""

from __future__ import annotations

import pytest

from pytest_evosearch.oracles.oracle import Knowledge
from pytest_evosearch.oracles.outgoing_manners import OutgoingOracle
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.seen_inside import Evidence
from pytest_evosearch.problem.http.exchanges.seen_inside import Outgoing


def asked(url="http://prices.internal/today", **given):
    return Outgoing(f"GET {url}", "GET", url, **given)


def judged(*calls):
    exchange = Exchange(Request("GET", "/a"), Response(200), evidence=Evidence(outgoing=calls))
    return [fault.message for fault in OutgoingOracle(Knowledge()).judge(exchange, 0)]


NAME = "GET http://prices.internal/today"
FORM = ("Content-Type", "application/x-www-form-urlencoded")
CALLS = {
    "a header": ({"headers": (("Authorization", "Bearer a"),)}, "sends the header Authorization"),
    "a key": ({"headers": (("X-Api-Key", "a"),)}, "sends the header X-Api-Key"),
    "a query": ({"query": "a=b&access_token=c"}, "sends the parameter access_token"),
    "a form": ({"headers": (FORM,), "body": b"password=c"}, "sends the member password"),
    "a document": ({"body": b'{"password": "c"}'}, "sends the member password"),
}


@pytest.mark.parametrize("what", CALLS)
def test_a_secret_in_plain_text_is_told(what):
    given, message = CALLS[what]

    assert judged(asked(**given)) == [f"{NAME}: {message} without TLS"]
    assert judged(asked("https://prices.internal/today", **given)) == []


def test_a_call_without_end_and_one_in_a_transaction_are_told_once():
    call = asked(careless=("no time-out", "open transaction"))

    assert judged(call, call) == [
        f"{NAME}: would wait without end for an answer",
        f"{NAME}: waits for an answer while a database transaction is open",
    ]


def test_a_modest_call_and_a_host_out_of_reach_are_no_fault():
    assert judged(asked(query="page=2", body=b"[1]"), Outgoing("prices.internal")) == []
