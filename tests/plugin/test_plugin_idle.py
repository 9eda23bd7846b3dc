from __future__ import annotations

import subprocess
import sys

import pytest

IMPORT_BUDGET_SECONDS = 0.005
"""What a plugin may cost everybody who has it installed (pytest-cov: 1 ms, Hypothesis: 5 ms)."""

MEASURE = """
import sys, time
import pytest, _pytest.pytester
before = set(sys.modules)
started = time.perf_counter()
import pytest_evosearch.plugin
import pytest_evosearch.bridge.options
import pytest_evosearch.hookspecs
elapsed = time.perf_counter() - started
print(elapsed)
print(*sorted(set(sys.modules) - before))
"""


def measure() -> tuple[float, list[str]]:
    output = subprocess.run(
        [sys.executable, "-c", MEASURE], check=True, capture_output=True, text=True
    ).stdout
    elapsed, modules = output.splitlines()
    return float(elapsed), modules.split()


def test_everything_an_idle_run_imports_is_light() -> None:
    _, modules = measure()
    ours = {name for name in modules if name.startswith("pytest_evosearch")}
    foreign = {name.partition(".")[0] for name in modules} - {"pytest_evosearch"}
    assert not foreign & {"flask", "werkzeug", "jinja2", "requests", "yaml", "coverage"}
    assert foreign <= set(sys.stdlib_module_names)
    assert not {name for name in ours if name.split(".")[1:2] in (["engine"], ["sut"], ["search"])}


def test_idle_import_is_fast() -> None:
    best = min(measure()[0] for _ in range(5))
    # Twice the budget: machines that run tests are slower and busier than desks.
    assert best < 2 * IMPORT_BUDGET_SECONDS


def test_idle_run_leaves_tests_alone(shop) -> None:
    result = shop.run()
    result.assert_outcomes(passed=1)
    assert "evosearch" not in result.stdout.str()


def test_blocked_plugin_knows_no_option(shop) -> None:
    shop.plugins = ["-p", "no:pytest_evosearch.plugin"]
    assert shop.run().ret == 0
    assert shop.run("--evosearch=5x").ret == 4


@pytest.mark.parametrize("plugin", ["cacheprovider", "terminal", "logging", "warnings"])
def test_search_works_without(shop, plugin: str) -> None:
    assert shop.search("-p", f"no:{plugin}", script="load noise", subprocess=True).ret == 0
    assert shop.told["answers"] == {"anonymous": "nobody"}
