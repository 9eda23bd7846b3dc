"""Starts the command of this process again, and makes sure that the process ends."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import PurePath

import pytest

from pytest_evosearch.bridge.capture import Voice
from pytest_evosearch.core.isolation import os
from pytest_evosearch.sut.sandbox.fresh_start import STANDARD_STREAMS
from pytest_evosearch.sut.sandbox.fresh_start import FreshStart
from pytest_evosearch.write.plugins.ending import end_after_main_thread
from pytest_evosearch.write.plugins.ending import end_of_main_thread

_PYTEST = ("pytest", "py.test")

PARTING_SECONDS = 3.0
"""Seconds for what the application has left to do when the interpreter ends."""


def command_of(config: pytest.Config) -> list[str]:
    """Return the command of this process; empty where the process does more than run pytest."""
    command = list(getattr(sys, "orig_argv", ()))
    given = list(config.invocation_params.args)
    is_all = bool(command) and command[len(command) - len(given) :] == given
    if not is_all or not any(PurePath(one).name in _PYTEST for one in command):
        return []
    return [sys.executable, *command[1:]]


def fresh_start_of(config: pytest.Config, voice: Voice) -> FreshStart | None:
    """Return how this session starts again; None where its process does more than run pytest."""
    command = command_of(config)
    if not command:
        return None
    streams: list[int] = []
    with voice.speak(), suppress(OSError):
        streams = [os.dup(one) for one in STANDARD_STREAMS]
    if not streams:
        return None
    return FreshStart(command, config.invocation_params.dir, streams)


def end_in_time(config: pytest.Config, status: Callable[[], int]) -> None:
    """Let this process end with `status`, even if threads of the application do not end.

    Python waits for workers of pools, and calls functions registered for its end.  This may take
    forever, after everything has been written and reported.
    """
    if command_of(config):
        given = status, end_of_main_thread(), PARTING_SECONDS
        ending = threading.Thread(target=end_after_main_thread, args=given, daemon=True)
        ending.start()
