"""What the process of this session is for: how it begins anew, and that it ends in the end."""

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
"""For what the application has left to be done when the interpreter ends."""


def command_of(config: pytest.Config) -> list[str]:
    """Return the command of this process; nothing where pytest is not all that it does."""
    command = list(getattr(sys, "orig_argv", ()))
    given = list(config.invocation_params.args)
    is_all = bool(command) and command[len(command) - len(given) :] == given
    if not is_all or not any(PurePath(one).name in _PYTEST for one in command):
        return []
    return [sys.executable, *command[1:]]


def fresh_start_of(config: pytest.Config, voice: Voice) -> FreshStart | None:
    """Return how this session begins anew; None where pytest is not all that its process does."""
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
    """Let this process end, with `status`, though the application has left what does not end.

    Python waits for workers of pools, and calls what was registered for its end: that may take for
    ever, when everything is written and told.
    """
    if command_of(config):
        given = status, end_of_main_thread(), PARTING_SECONDS
        ending = threading.Thread(target=end_after_main_thread, args=given, daemon=True)
        ending.start()
