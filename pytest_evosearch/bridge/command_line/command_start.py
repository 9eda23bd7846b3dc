"""Notes when and where the command started, and prints its first line at once.

A budget of seconds is that of the whole command.  Imports of the project's ``conftest.py`` may take
long, and until they are done pytest itself prints nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

import pytest

from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.core.isolation import os

BEGAN: pytest.StashKey[float] = pytest.StashKey()

VARIABLES: pytest.StashKey[Mapping[str, str]] = pytest.StashKey()
"""The environment before anything of the project was imported."""

FIRST_LINE = "evosearch: loading the application"


def note_variables(config: pytest.Config) -> None:
    """Note the environment, before anything of the project is imported.

    An application may set variables while it is imported; the runs of the written tests do not
    inherit them.
    """
    config.stash[VARIABLES] = dict(os.environ)


def note_start(config: pytest.Config) -> None:
    """Note this moment, the earliest at which pytest calls a plugin, and print the first line."""
    config.stash[BEGAN] = monotonic()
    # Without pytest's terminal plugin there is no such option, and no terminal to print to.
    verbosity = getattr(config.known_args_namespace, "verbose", -1)
    if verbosity >= 0 and sys.stdout is not None:
        sys.stdout.write(f"{FIRST_LINE}\n")
        sys.stdout.flush()
