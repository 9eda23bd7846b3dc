from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

IMPORT_BUDGET_SECONDS = 0.005
"""What a plugin may cost everybody who has it installed (pytest-cov: 1 ms, Hypothesis: 5 ms)."""

MEASURE = """
import sys, time
import pytest, _pytest.pytester
before = set(sys.modules)
started = time.process_time()
import pytest_evosearch.plugin
import pytest_evosearch.bridge.options
import pytest_evosearch.hookspecs
elapsed = time.process_time() - started
print(elapsed)
print(*sorted(set(sys.modules) - before))
"""


def measure(bytecode: Path) -> tuple[float, list[str]]:
    """Import in a fresh interpreter that keeps compiled modules, as installed ones are."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(bytecode)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    output = subprocess.run(
        [sys.executable, "-c", MEASURE],
        check=True,
        capture_output=True,
        text=True,
        env=environment,
    ).stdout
    elapsed, modules = output.splitlines()
    return float(elapsed), modules.split()


def test_everything_an_idle_run_imports_is_light(tmp_path: Path) -> None:
    _, modules = measure(tmp_path)
    ours = {name for name in modules if name.startswith("pytest_evosearch")}
    foreign = {name.partition(".")[0] for name in modules} - {"pytest_evosearch"}
    assert not foreign & {"flask", "werkzeug", "jinja2", "requests", "yaml", "coverage"}
    assert foreign <= set(sys.stdlib_module_names)
    assert not {name for name in ours if name.split(".")[1:2] in (["engine"], ["sut"], ["search"])}


def test_idle_import_is_fast(tmp_path: Path) -> None:
    measure(tmp_path)
    assert min(measure(tmp_path)[0] for _ in range(4)) < IMPORT_BUDGET_SECONDS


def test_idle_run_leaves_tests_alone(shop) -> None:
    result = shop.run()
    result.assert_outcomes(passed=1)
    assert "evosearch" not in result.stdout.str()


def test_blocked_plugin_knows_no_option(shop) -> None:
    shop.plugins = ["-p", "no:pytest_evosearch.plugin"]
    assert shop.run().ret == 0
    # before pytest 8 an unknown option makes pluggy warn, which is an error in this process
    assert shop.run("--evosearch=5x", subprocess=True).ret == 4


@pytest.mark.parametrize("plugin", ["cacheprovider", "terminal", "logging", "warnings"])
def test_search_works_without(shop, plugin: str) -> None:
    assert shop.search("-p", f"no:{plugin}", script="load noise", subprocess=True).ret == 0
    assert shop.told["answers"] == {"anonymous": "nobody"}
