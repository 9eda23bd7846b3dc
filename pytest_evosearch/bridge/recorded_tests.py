"""Runs a few of the project's own tests under observation, to record what they send.

    a fork of this process, in the sandbox
        the first test of each class or module, then the second ones ...
        a test that passes and has sent requests is kept, with its requests
    this process gets the record; the fork ends, with all that its tests left in memory

So it does not matter how tests send: through a class of their own, with a header that their set-up
keeps on ``self``, from a function in another module.  Their source would show only some of this.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from itertools import chain
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

from pytest_evosearch.bridge.applications.fixture_candidates import is_generated
from pytest_evosearch.bridge.internals import passes_alone
from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.isolation import time

MOST_RUN = 12
"""Largest number of tests to run: in many projects the first tests send nothing."""

WANTED = 5
"""Number of tests that have sent requests, after which no other test is run."""

PATIENCE = 5.0
"""Seconds after which no other test begins."""


def recorded_tests(
    items: Sequence[pytest.Item], root: Path, seconds: float, journal: Path
) -> tuple[Any, ...]:
    """Return what some of the tests sent (`sut.watching.recorded_requests.RecordedTest`).

    The fork undoes what the tests write to database servers.  If it is killed, the next connection
    undoes it with the help of `journal` (`sut.database_servers.preserved_servers`).  No test begins
    after `seconds`.  A fork whose test takes much longer is ended, and the whole record is lost.
    Where this process cannot be forked, the result is empty.
    """
    from pytest_evosearch.execution.forked.attempt import tried_apart
    from pytest_evosearch.execution.forked.forks import reason_not_to_fork

    chosen = _in_turn([item for item in items if not is_generated(item.path)])[:MOST_RUN]
    if not chosen or reason_not_to_fork():
        return ()
    seconds = min(seconds, PATIENCE)
    run = partial(_run, chosen, root, seconds, journal)
    return tuple(tried_apart(run, _nothing_to_undo, 2 * seconds) or ())


def _nothing_to_undo() -> None:
    """Undo nothing: the fork itself undoes what its tests change."""


def _in_turn(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """Return the first test of each class or module, then the second ones, and so on."""
    groups: dict[object, list[pytest.Item]] = {}
    for item in items:
        groups.setdefault((item.path, getattr(item, "cls", None)), []).append(item)
    rounds = zip_longest(*groups.values())
    return [item for item in chain.from_iterable(rounds) if item is not None]


def _run(items: Sequence[pytest.Item], root: Path, seconds: float, journal: Path) -> list[Any]:
    """Run tests until enough have been recorded, in a fork that ends afterwards."""
    from pytest_evosearch.execution.repetitions import a_little_later
    from pytest_evosearch.sut.database_servers.preserved_servers import preserved_servers
    from pytest_evosearch.sut.sandbox.confinement import sandbox
    from pytest_evosearch.sut.state.written_files import WrittenFiles

    _be_silent()
    with ExitStack() as stack:
        stack.enter_context(preserved_servers(journal))
        stack.enter_context(sandbox(root))
        # What they leave in temporary folders would otherwise be there for the search alone.
        stack.enter_context(WrittenFiles(root).installed()).begin()
        # Tests that draw random numbers send the same requests in each run.
        stack.enter_context(a_little_later(0)())
        return list(_recorded(items, time.monotonic() + seconds))


def _recorded(items: Sequence[pytest.Item], end: float) -> Iterator[Any]:
    from pytest_evosearch.sut.watching.recorded_requests import RecordedTest
    from pytest_evosearch.sut.watching.recorded_requests import RequestRecorder

    recorder = RequestRecorder()
    found = 0
    for item in items:
        if found == WANTED or time.monotonic() > end:
            return
        with recorder.listening():
            passed = passes_alone(item)
        requests = recorder.take()
        if passed and requests:
            found += 1
            yield RecordedTest(item.nodeid, requests)


def _be_silent() -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
