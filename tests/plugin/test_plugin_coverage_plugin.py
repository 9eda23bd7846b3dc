from __future__ import annotations

COVERAGE_PLUGIN = """
import pytest


def pytest_addoption(parser):
    parser.addoption("--no-cov", action="store_true", dest="no_cov")
    parser.addoption("--cov", dest="cov_source")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config):
    early_config.is_off_at_first = early_config.known_args_namespace.no_cov


def pytest_configure(config):
    first, last = config.is_off_at_first, config.option.no_cov
    print(f"coverage of {config.option.cov_source} is off: {first}, {last}")
"""
"""Asks when pytest-cov asks whether to measure."""


def test_coverage_that_addopts_ask_for_does_not_measure_a_search(shop) -> None:
    shop.write(coverage_stand_in=COVERAGE_PLUGIN)
    shop.pytester.makeini("[pytest]\naddopts = -p coverage_stand_in --cov=shop\n")

    searched = shop.search("--evosearch-plan", script="load")
    assert searched.ret == 0
    searched.stdout.fnmatch_lines(["coverage of shop is off: True, True"])

    tested = shop.run()
    tested.stdout.fnmatch_lines(["coverage of shop is off: False, False"])
