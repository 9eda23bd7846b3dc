from __future__ import annotations

import pytest

COVERAGE_PLUGIN = """
def pytest_addoption(parser):
    parser.addoption("--no-cov", action="store_true", dest="no_cov")


def pytest_configure(config):
    config.pluginmanager.register(object(), "_cov")
"""
"""What pytest-cov is to others; it is registered under this name also when it does nothing."""


@pytest.mark.parametrize(("further", "told"), [((), True), (("--no-cov",), False)])
def test_who_measures_coverage_meanwhile_is_told(
    shop, further: tuple[str, ...], told: bool
) -> None:
    shop.write(coverage_stand_in=COVERAGE_PLUGIN)

    result = shop.search("-p", "coverage_stand_in", "--evosearch-plan", *further, script="load")

    assert result.ret == 0
    assert ("add --no-cov" in result.stdout.str()) is told
