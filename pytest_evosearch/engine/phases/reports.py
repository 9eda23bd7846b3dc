"""Builds the outcome of a run and writes its reports."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace

from pytest_evosearch.core.failing.fence import Fence
from pytest_evosearch.engine.evidence import NO_REPLAYS
from pytest_evosearch.engine.phases.accounting import notices
from pytest_evosearch.engine.phases.accounting import unshown
from pytest_evosearch.engine.phases.found import Found
from pytest_evosearch.engine.preparing.folders import report_folder
from pytest_evosearch.engine.summary import summary
from pytest_evosearch.report.files import PAGE
from pytest_evosearch.report.files import write_reports
from pytest_evosearch.report.outcome import DroppedRow
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.settings.checked import Settings
from pytest_evosearch.write.modules.module_files import relative
from pytest_evosearch.write.written_suite import WrittenSuite

NOTHING_WRITTEN = WrittenSuite([], 0, [], [], {})
"""The suite of a run whose writing failed."""


def reported(found: Found) -> Outcome:
    """Tear the fixtures down, write the reports, and return everything that is known."""
    outcome, settings = _summed_up(found), found.context.settings
    return with_reports(replace(outcome, algorithm=settings.algorithm), settings, found.ready.fence)


def _summed_up(found: Found) -> Outcome:
    ready, written, before = found.ready, found.written, found.outcome
    suite = written.suite if written is not None else NOTHING_WRITTEN
    ready.fence.adopt(suite.mishaps)
    failed = (DroppedRow(name, reason) for name, reason in suite.dropped)
    lost = found.harvest.losses.dropped if found.harvest is not None else ()
    finished = replace(
        before,
        reason=found.reason,
        notices=(*before.notices, *_notices(found)),
        discovery=replace(
            before.discovery,
            findings={
                **before.discovery.findings,
                **found.resort.findings,
                **ready.admitted.findings,
            },
        ),
        suite=replace(before.suite, dropped=(*lost, *failed)),
    )
    counted = replace(finished.suite, files=tuple(suite.files), tests=suite.tests)
    return ready.fence.run(
        "the summary",
        summary,
        finished,
        ready,
        found.loop,
        found.specimens,
        suite,
        written.coverage if written is not None else None,
        written.replayed if written is not None else NO_REPLAYS,
        found.context.settings.rootdir,
        otherwise=replace(finished, suite=counted),
    )


def _notices(found: Found) -> Iterator[str]:
    """Yield the notices of all parts of a run at its end."""
    ready, written = found.ready, found.written
    yield from ready.state.notices()
    yield from ready.validators.notices
    yield from ready.executor.reading.notices()
    yield from _without_tables(ready.executor.tables)
    if found.confirmation is not None:
        yield from found.confirmation.notices()
    yield from found.disagreements
    yield from ready.offspring.notices()
    yield from ready.admitted.notices()
    if ready.queries is not None:
        yield from ready.queries.notices()
    if written is not None and written.suite.notice:
        yield written.suite.notice
    yield from ready.fence.run("the account of targets", _unshown, found, otherwise=())
    if written is not None and written.suite.files and (endless := ready.endless_threads()):
        yield endless


def _without_tables(tables: Mapping[str, str]) -> Iterator[str]:
    """Yield what to do about tables that the application goes on without."""
    if tables:
        names, (asked, *_) = ", ".join(sorted(tables)), tables.values()
        yield (
            f"the database has no table {names}, and the application goes on without it ({asked}): "
            "what needs it is not tested. Create it in a fixture, or keep a script of SQL that does"
        )


def _unshown(found: Found) -> Sequence[str]:
    """Return what tells of targets that the search covered, and that no written test shows."""
    harvest, written = found.harvest, found.written
    if harvest is None or written is None:
        return ()
    suite = written.suite
    told = {row.reason for row in harvest.losses.dropped} | {why for _name, why in suite.dropped}
    missing = unshown(harvest.goals, found.specimens, suite, harvest.why_untested)
    return list(notices(missing, told))


def with_mishaps(outcome: Outcome, fence: Fence) -> Outcome:
    """Add what failed by a mistake of this plugin."""
    tracebacks = (one.traceback for one in fence.mishaps.values())
    return replace(
        outcome,
        notices=(*outcome.notices, *fence.notices()),
        effort=replace(outcome.effort, tracebacks=(*outcome.effort.tracebacks, *tracebacks)),
    )


def with_reports(outcome: Outcome, settings: Settings, fence: Fence) -> Outcome:
    """Write the reports; a report that cannot be written only adds a notice."""
    outcome = with_mishaps(outcome, fence)
    written, failed = write_reports(outcome, report_folder(settings))
    page = next((path for path in written if path.name == PAGE), None)
    shown = relative(page, settings.rootdir) if page is not None else ""
    return replace(outcome, report=shown, notices=(*outcome.notices, *failed))
