"""Remembers when the command was started: a budget of seconds is that of the whole command."""

from __future__ import annotations

import pytest

from pytest_evosearch.core.clock import monotonic

BEGAN: pytest.StashKey[float] = pytest.StashKey()


def note_start(config: pytest.Config) -> None:
    """Remember this moment, the earliest at which pytest asks us."""
    config.stash[BEGAN] = monotonic()
