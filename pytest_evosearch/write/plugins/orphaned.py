"""A pytest plugin for verification runs: a run ends with the process that has started it.

What is started in a session of its own, so that Ctrl-C does not reach it twice, also outlives a
``kill -9`` of the search, and would go on testing in the user's project.  Linux tells it by
a signal; elsewhere such a run goes on until its tests have ended.

Like every plugin of a verification run it is copied, and imports nothing of pytest-evosearch.

    EVOSEARCH_VERIFY_PARENT   number of the process that has started the run
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def end_with_parent(parent: int) -> None:
    """Ask for a signal when the parent dies; end at once when it is dead."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


if sys.platform == "linux" and "EVOSEARCH_VERIFY_PARENT" in os.environ:
    if os.getsid(0) == os.getpid():  # not a worker of pytest-xdist, which ends with its own parent
        end_with_parent(int(os.environ["EVOSEARCH_VERIFY_PARENT"]))
