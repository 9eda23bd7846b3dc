"""Remembers when the command was started, and says so: its first line does not wait for anything.

A budget of seconds is that of the whole command.  What the project's ``conftest.py`` imports may
take long, and until it is loaded pytest itself says nothing.
"""

from __future__ import annotations

import sys

import pytest

from pytest_evosearch.core.clock import monotonic

BEGAN: pytest.StashKey[float] = pytest.StashKey()

FIRST_LINE = "evosearch: loading the application"


def note_start(config: pytest.Config) -> None:
    """Remember this moment, the earliest at which pytest asks us, and say that it has begun."""
    config.stash[BEGAN] = monotonic()
    # Without pytest's terminal plugin there is no such option, and nothing to say it on.
    verbosity = getattr(config.known_args_namespace, "verbose", -1)
    if verbosity >= 0 and sys.stdout is not None:
        sys.stdout.write(f"{FIRST_LINE}\n")
        sys.stdout.flush()
