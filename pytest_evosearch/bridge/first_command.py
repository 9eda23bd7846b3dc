"""How the command is given once more that has started this session, should it begin anew."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import PurePath

import pytest

from pytest_evosearch.bridge.capture import Voice
from pytest_evosearch.core.isolation import os
from pytest_evosearch.sut.sandbox.fresh_start import STANDARD_STREAMS
from pytest_evosearch.sut.sandbox.fresh_start import FreshStart

_PYTEST = ("pytest", "py.test")


def fresh_start_of(config: pytest.Config, voice: Voice) -> FreshStart | None:
    """Return how this session begins anew; None where pytest is not all that its process does."""
    command = list(getattr(sys, "orig_argv", ()))
    given = list(config.invocation_params.args)
    is_all = bool(command) and command[len(command) - len(given) :] == given
    if not is_all or not any(PurePath(one).name in _PYTEST for one in command):
        return None
    command[0] = sys.executable
    streams: list[int] = []
    with voice.speak(), suppress(OSError):
        streams = [os.dup(one) for one in STANDARD_STREAMS]
    if not streams:
        return None
    return FreshStart(command, config.invocation_params.dir, streams)
