from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")

VERSION = """
@hook
def pytest_evosearch_request(config, request):
    assert request.url_path.startswith(("/orders", "/admin"))
    assert request.user is None
    request.headers["X-Api-Version"] = "2"
    request.query["lang"] = "en"
    if request.method == "POST":
        request.form["csrf_token"] = "fixed"
"""

CLOCK = """
import time


@hook
def pytest_evosearch_request(request):
    request.headers["X-Sent-At"] = str(time.time())
"""

BROKEN = """
@hook
def pytest_evosearch_request(request):
    request.nothing()
"""


def test_tests_send_what_was_sent(orders) -> None:
    result = orders.search_with(VERSION)
    assert result.ret == 0
    calls = orders.written.count("client.get(") + orders.written.count("client.post(")
    assert calls >= 4
    assert orders.written.count('headers={"X-Api-Version": "2"}') == calls
    assert orders.written.count('query_string={"lang": "en"}') == calls
    assert '"csrf_token": "fixed"' in orders.written
    assert orders.passes_without_plugin()
    # Ids still flow through variables.
    assert "client.get(\n        f\"/orders/{created.json['number']}\"" in orders.written


def test_forked_processes_change_requests_too(orders) -> None:
    result = orders.search_with(VERSION, "--evosearch-set=state.fork=always", budget="40x")
    assert result.ret == 0
    assert 'headers={"X-Api-Version": "2"}' in orders.written


def test_what_differs_each_time_is_told_at_the_start(orders) -> None:
    result = orders.search_with(CLOCK, "--evosearch-plan")
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        ["*hook pytest_evosearch_request sends the header 'X-Sent-At' with another value *"]
    )
    assert "another value" not in orders.search_with(VERSION, "--evosearch-plan").stdout.str()


@pytest.mark.parametrize("fork", ["never", "always"])
def test_failure_is_told_once_and_the_request_sent_as_it_was(orders, fork: str) -> None:
    result = orders.search_with(BROKEN, f"--evosearch-set=state.fork={fork}", budget="30x")
    assert result.ret == 0
    told = [line for line in result.stdout.lines if line.startswith("evosearch: hook")]
    assert len(told) == 1
    origin = "hook pytest_evosearch_request (conftest.py:*)"
    result.stdout.fnmatch_lines(
        [f"evosearch: {origin} raised AttributeError: *; the request was sent as it was"]
    )
    assert "headers=" not in orders.written
