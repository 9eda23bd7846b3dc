from __future__ import annotations

import pytest

CACHING = """
from pytest_evosearch.oracles.findings import finding
from pytest_evosearch.problem.http.exchanges.reported_faults import Expectation


class CachingOracle:
    code = "caching-unsaid"

    def judge(self, exchange, call):
        response = exchange.response
        if response and response.status == 200 and response.header("Cache-Control") is None:
            wanted = Expectation("header", "Cache-Control", phrase="says_how_long_to_keep")
            endpoint = exchange.request.endpoint
            yield finding(self.code, endpoint, call, "200", "says nothing of caches", wanted)


class CreationOracle:
    code = "creation-lost"
    fewest_calls = 2

    def judge_sequence(self, exchanges):
        return []


@hook
def pytest_evosearch_oracles(config):
    return [CachingOracle(), CreationOracle()]
"""

BROKEN = """
class BrokenOracle:
    code = "broken"

    def judge(self, exchange, call):
        return exchange.reply


@hook
def pytest_evosearch_oracles():
    return [BrokenOracle()]
"""

RETURNING = """
@hook
def pytest_evosearch_oracles():
    return %s
"""


def test_findings_are_faults_with_a_test(orders) -> None:
    result = orders.search_with(CACHING, "--evosearch-fail-on=fault")
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        ["  caching-unsaid: 200: says nothing of caches", "    GET /admin/log*"]
    )
    faults = orders.modules["test_evosearch_faults.py"]
    assert "def test_get_admin_log_says_how_long_to_keep(client):" in faults
    assert 'assert "Cache-Control" in response.headers' in faults
    assert orders.passes_without_plugin()


@pytest.mark.slow("whole commands run")
def test_broken_oracle_is_told_once_and_costs_nothing_else(orders) -> None:
    result = orders.search_with(BROKEN, budget="30x")
    assert result.ret == 0
    lines = [line for line in result.stdout.lines if line.startswith("evosearch: hook")]
    assert len(lines) == 1
    told = "hook pytest_evosearch_oracles (*): the oracle 'broken' raised AttributeError: *"
    result.stdout.fnmatch_lines([f"evosearch: {told}"])
    assert orders.passes_without_plugin()


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (
            "[object()]",
            "returned <object object *, which is not an oracle: one has a text *",
        ),
        ("7", "returned 7, not a list of oracles"),
        ("1 / 0", "raised ZeroDivisionError: division by zero"),
    ],
)
def test_what_is_no_oracle_is_a_usage_error(orders, returned: str, message: str) -> None:
    result = orders.search_with(RETURNING % returned, "--evosearch-plan")
    assert result.ret == 4
    result.stderr.fnmatch_lines(
        [f"ERROR: evosearch: hook pytest_evosearch_oracles (conftest.py:*) {message}"]
    )
