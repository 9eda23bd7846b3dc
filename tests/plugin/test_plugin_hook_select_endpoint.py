from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")

NO_ADMIN = """
@hook
def pytest_evosearch_select_endpoint(config, endpoint):
    assert (endpoint.method, endpoint.path, endpoint.name, endpoint.blueprint) != ()
    return endpoint.blueprint != "admin"
"""

CREATION_ALONE = """
@hook
def pytest_evosearch_select_endpoint(endpoint):
    return (endpoint.method, endpoint.path, endpoint.name) == ("POST", "/orders", "create")
"""


def test_endpoints_are_left_out(orders) -> None:
    result = orders.search_with(NO_ADMIN, "--collect-only")
    assert result.ret == 0
    assert "/orders/{number}" in result.stdout.str()
    assert "/admin/log" not in result.stdout.str()


def test_true_brings_nothing_back_that_the_options_leave_out(orders) -> None:
    result = orders.search_with(NO_ADMIN, "--collect-only", "--evosearch-skip=show")
    assert "/orders/{number}" not in result.stdout.str()
    assert "static" not in result.stdout.str()
    result.stdout.fnmatch_lines(["*endpoints 1 (*"])


def test_both_narrow_the_choice(orders) -> None:
    result = orders.search_with(CREATION_ALONE, "--collect-only", "--evosearch-only=*orders*")
    result.stdout.fnmatch_lines(["*endpoints 1 (*", "*POST /orders*"])


def test_nothing_left_names_the_hook(orders) -> None:
    result = orders.search_with(CREATION_ALONE, "--evosearch-only=admin")
    assert result.ret == 5
    result.stdout.fnmatch_lines(
        ["evosearch: no endpoint of * is left to search*hook pytest_evosearch_select_endpoint*"]
    )


def test_failure_is_a_usage_error(orders) -> None:
    result = orders.search_with(NO_ADMIN.replace("blueprint !=", "module !="))
    assert result.ret == 4
    result.stderr.fnmatch_lines(
        ["ERROR: evosearch: hook pytest_evosearch_select_endpoint (*) raised AttributeError: *"]
    )
