"""Tries something in a fork, so that none of its effects stay in this process."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from pytest_evosearch.core.isolation import os
from pytest_evosearch.execution.forked.channel import Channel
from pytest_evosearch.execution.forked.channel import ChannelClosed
from pytest_evosearch.execution.forked.channel import wait_for
from pytest_evosearch.execution.forked.fork_server import finish
from pytest_evosearch.execution.forked.forks import reason_not_to_fork

PATIENCE = 10.0
"""Seconds after which a fork without an answer is ended."""


def tried_apart(
    function: Callable[[], Any], undo: Callable[[], object], patience: float = PATIENCE
) -> Any:
    """Return what `function` returns in a fork; None where it fails or exceeds `patience` seconds.

    Where this process cannot be forked, the function is called here. `undo` restores what a fork
    shares with this process, and as much of the rest as possible.
    """
    if reason_not_to_fork():
        try:
            return function()
        except (Exception, SystemExit):
            return None
        finally:
            undo()
    channel = Channel()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # from 3.12 on, of threads that libraries run
        child = os.fork()
    if child == 0:
        try:
            channel.send(pickle.dumps(function()))
        except BaseException:
            os._exit(1)
        finally:
            os._exit(0)
    channel.keep_reading()
    answer = None
    if wait_for([channel], patience):
        with suppress(ChannelClosed, pickle.PickleError):
            answer = pickle.loads(channel.receive())
    finish(child)
    os.close(channel.reading)
    undo()
    return answer
