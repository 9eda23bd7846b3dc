from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")

MOST_MODULES = 15
"""Of ours that an idle run may import: `benchmarks.idle` says what they cost."""

SHOW = """
import sys
import pytest, _pytest.pytester
before = set(sys.modules)
import pytest_evosearch.plugin
import pytest_evosearch.bridge.command_line.pytest_options
import pytest_evosearch.hookspecs
print(*sorted(set(sys.modules) - before))
"""


def imported_by_an_idle_run() -> list[str]:
    """Import in a fresh interpreter what an idle run imports."""
    command = [sys.executable, "-c", SHOW]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


def test_everything_an_idle_run_imports_is_light() -> None:
    modules = imported_by_an_idle_run()
    ours = {name for name in modules if name.startswith("pytest_evosearch")}
    foreign = {name.partition(".")[0] for name in modules} - {"pytest_evosearch"}
    assert not foreign & {"flask", "werkzeug", "jinja2", "requests", "yaml", "coverage"}
    assert foreign <= set(sys.stdlib_module_names)
    assert not {name for name in ours if name.split(".")[1:2] in (["engine"], ["sut"], ["search"])}
    assert len(ours) <= MOST_MODULES


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


REWRITTEN = """
def pytest_sessionfinish(session):
    import sys

    ours = [name for name in list(sys.modules) if name.startswith("pytest_evosearch.")]
    loaders = {name: type(sys.modules[name].__loader__).__name__ for name in ours}
    print("\\nrewritten:", *(name for name in ours if loaders[name] == "AssertionRewritingHook"))
"""


@pytest.mark.parametrize("asked", [(), ("--evosearch-plan",)])
def test_pytest_rewrites_none_of_our_modules(
    shop, monkeypatch: pytest.MonkeyPatch, asked: tuple[str, ...]
) -> None:
    """Those excepted that are loaded until our own finder stands there."""
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")  # pytest marks what it loads by itself
    shop.plugins = []
    shop.write(conftest=f"{shop.path.joinpath('conftest.py').read_text()}\n{REWRITTEN}")
    result = shop.run("-s", *asked, subprocess=True)
    (line,) = (line for line in result.outlines if line.startswith("rewritten:"))
    assert set(line.split()[1:]) == {
        "pytest_evosearch.plugin",
        "pytest_evosearch.bridge",
        "pytest_evosearch.bridge.imports",
        "pytest_evosearch.bridge.imports.own_modules",
    }
