from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from expected_skips import EXPECTED_SKIPS
from expected_skips import SkipJudge
from tiers import refuse_without_reason

pytest_plugins = ["pytester"]


def let_examples_take_their_time() -> None:
    """Let Hypothesis not judge how long an example takes: that says how busy the machine is."""
    from hypothesis import HealthCheck
    from hypothesis import settings

    patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
    settings.register_profile("patient", patient)
    settings.load_profile("patient")


BYTECODE = Path(__file__).parents[1] / ".pytest_cache" / "d" / "evosearch" / "bytecode"
"""Shared by all interpreters that the tests start: compiling pytest's plugins takes a second."""


def pytest_configure(config: pytest.Config) -> None:
    """Let what the tests start write bytecode, in one place for all of them."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = str(BYTECODE)
    with suppress(ImportError):  # not in the environment of a newer Python
        let_examples_take_their_time()
    if os.environ.get("CI") == "true":
        config.pluginmanager.register(SkipJudge(EXPECTED_SKIPS), "skip-judge")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Let no test be slow without a reason."""
    refuse_without_reason(item.nodeid, item.iter_markers("slow"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Let a worker of `-n N` that has nothing left take tests from another one.

    By default each keeps what it was given, and one was idle for the last fifth of the time.
    """
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log) if config.getoption("dist") == "load" else None


@pytest.fixture(scope="module", autouse=True)
def heap_of_a_module() -> None:
    """Leave out all that is there before a module when memory is collected or looked through.

    Each search collects everything several times, and all modules of the tests with their
    libraries are more than a million objects: going through them took a third of a second each
    time.  And what searches look for among all objects (connections to databases, engines) is not
    what tests of another module left.
    """
    gc.collect()
    gc.freeze()
