"""A pytest plugin that registers those beside it, which stand in `NAMES`, in that order.

For each ``-p`` pytest looks through everything that is installed, and that was a sixth of what a
verifying interpreter costs.  Like the others it is copied beside its log, where `NAMES` is set.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

NAMES: tuple[str, ...] = ()


def pytest_plugin_registered(plugin: Any, manager: Any) -> None:
    """Register the others once this one is registered."""
    if plugin is sys.modules[__name__]:
        for name in NAMES:
            manager.register(importlib.import_module(name), name)
