"""Who shows something in the query that the refused reader did not show may be somebody."""

from __future__ import annotations

import pytest

from pytest_evosearch.oracles.authorization import AnonymousWriteOracle
from pytest_evosearch.oracles.oracle import Knowledge
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response


@pytest.mark.parametrize(("query", "faults"), [((), 1), ((("pilot", "nerys"),), 0)])
def test_key_of_any_name_in_the_query_is_no_anonymous_write(query, faults):
    refused = Exchange(Request("GET", "/boats/{id}", {"id": 1}), Response(401))
    write = Request("DELETE", "/boats/{id}", {"id": 1}, query=query)
    oracle = AnonymousWriteOracle(Knowledge())
    assert len(list(oracle.judge_sequence((refused, Exchange(write, Response(204)))))) == faults
