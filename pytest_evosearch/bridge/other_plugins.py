"""What a search leaves out of what a project asks other plugins of pytest for.

Many projects have coverage and workers for their tests in ``addopts``.  A search runs no tests: it
would be measured itself, and its user has not asked for several.  Workers that the command line
asks for become islands (`bridge.island_processes`).
"""

from __future__ import annotations

import argparse
import os
import shlex

import pytest

NO_COVERAGE = "--no-cov"


def measure_nothing(early_config: pytest.Config, args: list[str]) -> None:
    """Switch pytest-cov off before it starts; `args` are pytest's own, parsed again after this.

    The option comes last: pytest-cov warns about options of its own that follow it.
    """
    if hasattr(early_config.known_args_namespace, "no_cov"):
        early_config.known_args_namespace.no_cov = True
        place = args.index("--") if "--" in args else len(args)
        args.insert(place, NO_COVERAGE)


def asks_for_one(config: pytest.Config) -> bool:
    """Say whether the user asked for a single process (``-n 0``)."""
    return bool(config.getoption("numprocesses", None) == 0) and _asks_for_workers(config)


def send_nobody(config: pytest.Config) -> int:
    """Keep xdist from starting workers, and return how many the user requested; 0 for none.

    xdist decides in its own `pytest_configure`, which runs last; this plugin's runs first.
    """
    workers = config.getoption("tx", None)
    if not workers:
        return 0
    config.option.dist = "no"
    config.option.tx = []
    return len(workers) if _asks_for_workers(config) else 0


def _asks_for_workers(config: pytest.Config) -> bool:
    """Say whether the user asks for workers, not the ``addopts`` of the project's file."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("-n", "--numprocesses", "--tx", dest="workers")
    words = [*shlex.split(os.environ.get("PYTEST_ADDOPTS", "")), *config.invocation_params.args]
    given, _others = parser.parse_known_args([str(word) for word in words])
    return given.workers is not None
