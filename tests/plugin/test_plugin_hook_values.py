from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")

VOUCHERS = """
@hook
def pytest_evosearch_values(config, endpoint, parameter):
    with open(config.rootpath / "asked.txt", "a") as file:
        print(endpoint.name, parameter.location, parameter.name, *parameter.path, file=file)
    if endpoint.name == "create" and parameter.name == "voucher":
        return ["GIFT7"]
"""

FAILING = """
@hook
def pytest_evosearch_values(endpoint):
    return 1 / 0
"""


def test_values_are_tried_and_each_parameter_is_asked_for_once(orders) -> None:
    assert orders.search_with(VOUCHERS).ret == 0
    assert '"voucher": "GIFT7"' in orders.written
    asked = (orders.path / "asked.txt").read_text().splitlines()
    assert sorted(asked) == ["create form voucher voucher", "show path number number"]


def test_failure_is_told_once_and_costs_nothing_else(orders) -> None:
    result = orders.search_with(FAILING)
    assert result.ret == 0
    line = (
        "hook pytest_evosearch_values (conftest.py:*) raised ZeroDivisionError: division by zero*"
    )
    result.stdout.fnmatch_lines([f"evosearch: {line}"])
    assert result.stdout.str().count("ZeroDivisionError") == 1
    assert orders.passes_without_plugin()
