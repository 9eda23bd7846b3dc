"""pytest-xdist: its workers become islands of a search (`bridge.island_processes`)."""

from __future__ import annotations

import pytest


def asks_for_one(config: pytest.Config) -> bool:
    """Say whether the user asked for a single process (``-n 0``)."""
    return bool(config.getoption("numprocesses", None) == 0)


def send_nobody(config: pytest.Config) -> int:
    """Keep xdist from starting workers, and return how many were requested; 0 for none.

    xdist decides in its own `pytest_configure`, which runs last; this plugin's runs first.
    """
    workers = config.getoption("tx", None)
    if not workers:
        return 0
    config.option.dist = "no"
    config.option.tx = []
    return len(workers)
