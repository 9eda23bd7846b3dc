"""A pytest plugin for verification runs: collects tests from a folder beside their place.

A run of the project's own suite collects the folders of the project's settings. The tests to verify
are in another folder (`write.stage`), and their final place may contain tests of an earlier run. So
this plugin collects the former, and not the latter.

Verification runs load a copy of this file, so it imports nothing from pytest-evosearch.

    EVOSEARCH_VERIFY_STAGE   the folder in which the tests stand
    EVOSEARCH_VERIFY_PLACE   the folder in which they will be
"""

from __future__ import annotations

import os
from typing import Any


def pytest_configure(config: Any) -> None:
    """Collect one folder instead of the other."""
    stage, place = map(os.environ.get, ("EVOSEARCH_VERIFY_STAGE", "EVOSEARCH_VERIFY_PLACE"))
    if stage and place and not hasattr(config, "workerinput"):
        config.args.append(stage)
        config.option.ignore = [*(config.option.ignore or ()), place]
