"""Builds the outcome of a run and writes its reports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pytest_evosearch.engine.phases.found import Found
from pytest_evosearch.engine.preparing.folders import report_folder
from pytest_evosearch.engine.summary import summary
from pytest_evosearch.report.files import PAGE
from pytest_evosearch.report.files import write_reports
from pytest_evosearch.report.outcome import DroppedRow
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.settings.checked import Settings
from pytest_evosearch.write.modules.module_files import relative


def reported(found: Found) -> Outcome:
    """Tear the fixtures down, write the reports, and return everything that is known."""
    outcome, settings = _summed_up(found), found.context.settings
    return _with_reports(replace(outcome, algorithm=settings.algorithm), settings)


def _summed_up(found: Found) -> Outcome:
    assert found.harvest is not None
    assert found.written is not None
    ready, written, before = found.ready, found.written, found.outcome
    timetable = found.context.timetable
    failed = (DroppedRow(name, reason) for name, reason in written.suite.dropped)
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
        suite=replace(before.suite, dropped=(*found.harvest.losses.dropped, *failed)),
    )
    return summary(
        finished,
        ready,
        found.loop,
        found.specimens,
        written.suite,
        written.coverage,
        written.replayed,
        found.context.settings.rootdir,
        hurries=lambda: timetable.now > timetable.plan.latest,
    )


def _notices(found: Found) -> Iterator[str]:
    """Yield the notices of all parts of a run at its end."""
    ready, written = found.ready, found.written
    yield from ready.state.notices()
    yield from ready.validators.notices
    yield from ready.executor.reading.notices()
    if found.confirmation is not None:
        yield from found.confirmation.notices()
    yield from found.disagreements
    yield from ready.offspring.notices()
    yield from ready.admitted.notices()
    if ready.queries is not None:
        yield from ready.queries.notices()
    if written is not None and written.suite.notice:
        yield written.suite.notice
    if written is not None and written.suite.files and (endless := ready.endless_threads()):
        yield endless


def _with_reports(outcome: Outcome, settings: Settings) -> Outcome:
    """Write the reports; a report that cannot be written only adds a notice."""
    written, failed = write_reports(outcome, report_folder(settings))
    page = next((path for path in written if path.name == PAGE), None)
    shown = relative(page, settings.rootdir) if page is not None else ""
    return replace(outcome, report=shown, notices=(*outcome.notices, *failed))
