"""A pytest plugin for verification runs: a run ends with its parent process.

A run is started in its own session, so that Ctrl-C does not reach it twice. So it also survives a
``kill -9`` of the search, and would go on testing in the user's project. Linux sends it a signal;
on other systems, the run goes on until its tests have ended.

Verification runs load a copy of this file, so it imports nothing from pytest-evosearch.

    EVOSEARCH_VERIFY_PARENT   number of the process that has started the run
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def end_with_parent(parent: int) -> None:
    """Request a signal for the death of the parent; end at once when the parent is dead."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


if sys.platform == "linux" and "EVOSEARCH_VERIFY_PARENT" in os.environ:
    if os.getsid(0) == os.getpid():  # not a worker of pytest-xdist, which ends with its own parent
        end_with_parent(int(os.environ["EVOSEARCH_VERIFY_PARENT"]))
