"""A pytest plugin that registers the plugins beside it, in the order of `NAMES`.

For each ``-p``, pytest searches all installed packages, which took a sixth of a verifying
interpreter's time. A copy beside the log is loaded, in which `NAMES` is set.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

NAMES: tuple[str, ...] = ()


def pytest_plugin_registered(plugin: Any, manager: Any) -> None:
    """Register the other plugins once this one is registered."""
    if plugin is sys.modules[__name__]:
        for name in NAMES:
            manager.register(importlib.import_module(name), name)
