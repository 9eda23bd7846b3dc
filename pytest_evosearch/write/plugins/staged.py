"""A pytest plugin for verification runs: tests that stand beside their place count as in it.

A run of the project's own suite collects what the project says.  The tests that are verified stand
in a folder that is not among it (`write.stage`), and in their place may be those of an
earlier run.  So the one is collected as well, and the other is not.

Like every plugin of a verification run it is copied, and imports nothing of pytest-evosearch.

    EVOSEARCH_VERIFY_STAGE   the folder in which the tests stand
    EVOSEARCH_VERIFY_PLACE   the folder in which they will be
"""

from __future__ import annotations

import os
from typing import Any


def pytest_configure(config: Any) -> None:
    """Collect the one folder instead of the other."""
    stage, place = map(os.environ.get, ("EVOSEARCH_VERIFY_STAGE", "EVOSEARCH_VERIFY_PLACE"))
    if stage and place and not hasattr(config, "workerinput"):
        config.args.append(stage)
        config.option.ignore = [*(config.option.ignore or ()), place]
