"""Installs the instrumenting finder as early as pytest allows."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import pytest

from pytest_evosearch.bridge.options import value_of
from pytest_evosearch.settings import HIGHEST_LEVEL
from pytest_evosearch.settings import option_named


@dataclass(frozen=True)
class Instrumentation:
    """An installed finder and what it records."""

    installed: AbstractContextManager[Any]
    recording: Any

    def stop(self) -> None:
        """Take the finder out of the import system again."""
        self.installed.__exit__(None, None, None)


def start_instrumentation(config: pytest.Config) -> Instrumentation | None:
    """Install the finder for the packages asked for, or for what lies under the root folder.

    Returns None at level 0, the black box.
    """
    namespace = config.known_args_namespace
    level = value_of(config, namespace, option_named("level"))
    level = HIGHEST_LEVEL if level is None else level
    if str(level) == "0":
        return None
    packages = value_of(config, namespace, option_named("source"))
    names = tuple(str(name) for name in packages) if isinstance(packages, list) else ()

    from pytest_evosearch.instrument import Selection
    from pytest_evosearch.instrument import install

    selection = Selection(packages=names, root=config.rootpath)
    installed = install(selection, level=_as_level(level))
    return Instrumentation(installed, installed.__enter__())


def _as_level(level: object) -> int:
    """Return a usable level; a wrong one is refused later, when all settings are checked."""
    try:
        return int(str(level))
    except ValueError:
        return HIGHEST_LEVEL
