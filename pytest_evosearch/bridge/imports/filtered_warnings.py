"""Undoes imports of the application that a warning filter caused.

``filterwarnings = error::shop.Outdated`` makes pytest 9.2 import `shop` before any plugin is
loaded, so before it can be instrumented.  At this time no other module holds it.  So it is removed
from ``sys.modules``, and the next import is instrumented.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_evosearch.instrument import Selection


def forget_filtered_packages(config: pytest.Config, selection: Selection) -> None:
    """Remove the packages of selected modules that warning filters have imported.

    Where a plugin of the project is loaded already, it may hold them, and they stay.
    """
    if _has_own_plugin(config):
        return
    for package in set(_packages_in_filters(config)):
        file = getattr(sys.modules.get(package), "__file__", None)
        if file is None or not selection.accepts(package, Path(file).resolve()):
            continue
        for name in [name for name in sys.modules if name.partition(".")[0] == package]:
            del sys.modules[name]


def _packages_in_filters(config: pytest.Config) -> Iterator[str]:
    """Yield the top-level package of every warning category that a filter names with its module."""
    given = getattr(config.known_args_namespace, "pythonwarnings", None) or ()
    for text in (*config.getini("filterwarnings"), *given):
        category = text.split(":")[2].strip() if text.count(":") >= 2 else ""
        if "." in category:
            yield category.partition(".")[0]


def _has_own_plugin(config: pytest.Config) -> bool:
    files = (getattr(plugin, "__file__", None) for plugin in config.pluginmanager.get_plugins())
    root = config.rootpath
    return any(
        file and root in Path(file).parents and "site-packages" not in file for file in files
    )
