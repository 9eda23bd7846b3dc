"""What is loaded for a run, and when."""

from __future__ import annotations

import subprocess
import sys

PLAN = """
import sys
import pytest_evosearch.engine.run
import pytest_evosearch.bridge.session
import pytest_evosearch.bridge.hook_wiring.project_hooks
print(*sorted(sys.modules))
"""


def test_a_plan_loads_nothing_that_follows_a_search() -> None:
    found = subprocess.run(
        [sys.executable, "-c", PLAN], capture_output=True, text=True, check=True, timeout=60
    )
    loaded = set(found.stdout.split())

    assert "pytest_evosearch.engine.preparing.planned_run" in loaded
    later = (
        "harvest.harvesting",
        "write.suite",
        "strength.score",
        "search.algorithms",
        "engine.loop",
    )
    assert loaded.isdisjoint(f"pytest_evosearch.{one}" for one in later)
    assert "asyncio" not in loaded
