"""Runs tests with set-ups that they share, and without them where these mislead."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence

from pytest_evosearch.write.verification.limits import Limits
from pytest_evosearch.write.verification.proven_tests import left_out
from pytest_evosearch.write.verification.recorded_run import Entry
from pytest_evosearch.write.verification.verdicts import Test

MOST_PROBES = 3
"""Failed tests that are run once more with a set-up of their own: each may take seconds."""

Recorded = tuple[list[Entry], int | None, str]
"""The log of a run, its exit code and its output."""


Execute = Callable[[Mapping[str, str], float], Recorded]
"""Runs tests with further variables, for at most so many seconds; returns what is known then."""


def run_with_shared_set_ups(
    execute: Execute, sharing: dict[str, str], limits: Limits, seconds: float
) -> Recorded:
    """Run tests with the variables `sharing`; empty it where a test needs its own set-up.

    A failure is put to the proof where there is time: some failed tests run once more as usual.  If
    one of them holds, the fixtures cannot be shared, and the whole run is repeated without.
    """
    found = execute(sharing, seconds)
    failed = list(_tests(found[0], "failed")) if sharing else []
    if not failed or not limits.suffice_for(limits.least):
        return found
    probes = set(failed[:MOST_PROBES])
    others = {test for test in _items(found[0]).values() if test not in probes}
    again = execute(left_out(others), limits.least)[0]
    held = set(_tests(again, "passed")) - set(_tests(again, "failed"))
    if not held & probes:
        return found
    sharing.clear()
    return execute({}, max(limits.least, limits.begin()))


def _items(entries: Sequence[Entry]) -> dict[object, Test]:
    return {
        entry["item"]: (str(entry["file"]), str(entry["test"]), _row(entry["row"]))
        for entry in entries
        if "item" in entry
    }


def _row(row: object) -> int | None:
    return row if isinstance(row, int) else None


def _tests(entries: Sequence[Entry], outcome: str) -> Iterator[Test]:
    """Yield the tests of which some phase has this outcome; only the call can pass."""
    items = _items(entries)
    for entry in entries:
        counts = outcome == "failed" or entry.get("when") == "call"
        if counts and entry.get("outcome") == outcome and entry.get("report") in items:
            yield items[entry["report"]]
