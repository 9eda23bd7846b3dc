"""Runs the project's tests under observation, to record what they send.

    a fork of this process, in the sandbox
        the first test of each class or module, then the second ones ...
        a test that has sent requests is kept, with its requests
    this process gets the record; the fork ends, with all that its tests left in memory

So it does not matter how tests send: through a class of their own, with a header that their set-up
keeps on ``self``, from a function in another module.  Their source would show only some of this.
It does not matter either whether a test passes, nor who wrote it: tests of earlier runs are run,
too, but not those that a repetition of this very run wrote (`engine.starting_tests`).
"""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from itertools import chain
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

from pytest_evosearch.bridge.applications.fixture_candidates import in_source_order
from pytest_evosearch.bridge.applications.fixture_candidates import is_generated
from pytest_evosearch.bridge.internals import run_alone
from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.isolation import time
from pytest_evosearch.write.modules.ledger import LEDGER
from pytest_evosearch.write.modules.module_files import read_ledger

MOST_RUN = 300
"""Largest number of tests to run."""

PATIENCE = 20.0
"""Seconds after which no other test begins, however large the budget is."""


def recorded_tests(
    items: Sequence[pytest.Item], root: Path, run: str, seconds: float, journal: Path
) -> tuple[Any, ...]:
    """Return what tests sent (`sut.watching.recorded_requests.RecordedTest`).

    Tests that the run called `run` has written are left out.  The fork undoes what the tests write
    to database servers.  If it is killed, the next connection undoes it with the help of `journal`
    (`sut.database_servers.preserved_servers`).  No test begins after `seconds`.  A fork whose test
    takes much longer is ended, and the whole record is lost.  Where this process cannot be forked,
    the result is empty.
    """
    from pytest_evosearch.execution.forked.attempt import tried_apart
    from pytest_evosearch.execution.forked.forks import reason_not_to_fork

    chosen = _in_turn(_not_written_by(run, in_source_order(items)))[:MOST_RUN]
    if not chosen or reason_not_to_fork():
        return ()
    seconds = min(seconds, PATIENCE)
    record = partial(_run, chosen, root, seconds, journal)
    return tuple(tried_apart(record, _nothing_to_undo, 2 * seconds) or ())


def _nothing_to_undo() -> None:
    """Undo nothing: the fork itself undoes what its tests change."""


def _not_written_by(run: str, items: Iterable[pytest.Item]) -> Iterator[pytest.Item]:
    """Yield the tests that a run of this name has not written."""
    written: dict[Path, Collection[str]] = {}
    for item in items:
        if is_generated(item.path):
            folder = item.path.parent
            if folder not in written:
                written[folder] = read_ledger(folder / LEDGER).runs.get(run, ())
            name = getattr(item, "originalname", None) or item.name
            if f"{item.path.name}::{name}" in written[folder]:
                continue
        yield item


def _in_turn(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """Return the first test of each class or module, then the second ones, and so on."""
    groups: dict[object, list[pytest.Item]] = {}
    for item in items:
        groups.setdefault((item.path, getattr(item, "cls", None)), []).append(item)
    rounds = zip_longest(*groups.values())
    return [item for item in chain.from_iterable(rounds) if item is not None]


def _run(items: Sequence[pytest.Item], root: Path, seconds: float, journal: Path) -> list[Any]:
    """Run tests as long as there is time, in a fork that ends afterwards."""
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
    for item in items:
        if time.monotonic() > end:
            return
        with recorder.listening():
            run_alone(item)
        if requests := recorder.take():
            yield RecordedTest(item.nodeid, requests)


def _be_silent() -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
