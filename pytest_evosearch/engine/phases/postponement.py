"""Keeps tests for which the time was too short, so that the next run can go on from them."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.engine.phases.found import Found
from pytest_evosearch.harvest.losses import TOO_LATE
from pytest_evosearch.report.plain_text import counted
from pytest_evosearch.write.verification.verdicts import NO_TIME


class Postponement:
    """Postpones the tests that were dropped for want of time."""

    name = ""
    is_optional = True

    def skipped_because(self, found: Found) -> str:
        """Skip the phase where nothing was harvested."""
        return "" if found.harvest is not None else "no test was minimised"

    def run(self, found: Found) -> None:
        """Keep the tests of the archive whose targets no written test shows."""
        archive = found.loop.archive
        late = [archive.covered[one] for one in sorted(_late(found)) if archive.is_covered(one)]
        tests = list({id(entry.individual): entry.individual for entry in late}.values())
        if tests:
            found.context.postpone(tests)
            found.add_notices(
                f"{counted(len(tests), 'test')} had no time: the next run begins with them"
            )


def _late(found: Found) -> set[TargetId]:
    """Return the targets whose tests had no time, without those that written tests show."""
    return set(_lost(found)) - set(_shown(found))


def _lost(found: Found) -> Iterator[TargetId]:
    assert found.harvest is not None
    for target, reason in found.harvest.losses.untested.items():
        if reason == TOO_LATE:
            yield target
    if found.written is not None:
        for index, reason in found.written.suite.reasons.items():
            if reason == NO_TIME:
                yield from found.specimens[index].targets


def _shown(found: Found) -> Iterator[TargetId]:
    if found.written is not None:
        for index in found.written.suite.test_of:
            specimen = found.specimens[index]
            yield from specimen.covered | specimen.targets
