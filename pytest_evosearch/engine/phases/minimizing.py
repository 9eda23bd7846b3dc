"""From the archive to minimised tests."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from pytest_evosearch.engine.phases.confirmation import freezes_of
from pytest_evosearch.engine.phases.found import Found
from pytest_evosearch.engine.phases.found import RunContext
from pytest_evosearch.engine.preparing.ready_search import Prepared
from pytest_evosearch.execution.local_executor import LocalPerformer
from pytest_evosearch.execution.mutating.live_mutants import LiveMutants
from pytest_evosearch.execution.mutating.live_mutants import loaded_sources
from pytest_evosearch.harvest.arranging.fetched_keys import FetchedKeys
from pytest_evosearch.harvest.background import Allowance
from pytest_evosearch.harvest.background import Background
from pytest_evosearch.harvest.background import Sources
from pytest_evosearch.harvest.harvesting import Harvest
from pytest_evosearch.harvest.permanence import InForks
from pytest_evosearch.harvest.permanence import InProcess
from pytest_evosearch.settings.phase_shares import HASTY_HARVEST_SECONDS
from pytest_evosearch.sut.documents.templates import template_text
from pytest_evosearch.sut.finding.stated_versions import StatedVersions
from pytest_evosearch.sut.watching.own_signatures import WEB_TOKEN
from pytest_evosearch.sut.watching.own_signatures import is_signed_with
from pytest_evosearch.sut.watching.own_signatures import machine_keys
from pytest_evosearch.write.content.telling_texts import Wording


class Reduction:
    """Turns the archive into few short tests that assert what is stable."""

    name = "minimize"
    is_optional = False

    def skipped_because(self, _found: Found) -> str:
        """Never skip: without this phase no test is written."""
        return ""

    def run(self, found: Found) -> None:
        """Minimise as long as there is time; the remaining tests stay as they were found."""
        found.context.early.read()
        given = found.ready.executor, found.loop.archive, _allowance(found), background(found)
        harvest = Harvest(*given, lambda done, total: _report_count(found, done, total))
        found.harvest = harvest
        found.specimens = harvest.specimens()
        if found.ready.handle.outside:
            found.loop.statistics.forget_freezes(harvest.gone)
        # Where it is known that nothing restores the state, it is not checked.
        if not found.ready.handle.unrestored:
            check = found.resort.check.notices
            given_up = found.resort.hindrance
            part = "the check of the application's state"
            found.disagreements = found.ready.fence.run(part, check, given_up, otherwise=())


def minimizing_time(found: Found) -> Callable[[], float]:
    """Return a function that returns the seconds left for minimising.

    With a budget of evaluations, numbers of executions limit it instead.
    """
    context = found.context
    plan, timetable = context.timetable.plan, context.timetable
    now = timetable.now
    if found.is_interrupted:
        return timetable.until(now + HASTY_HARVEST_SECONDS)
    if plan.seconds is None:
        return lambda: math.inf if context.host.stop_requested() is None else 0.0
    return _ending_soon_after_a_stop(
        lambda: plan.end_of_minimizing(now, timetable.pace) - timetable.now, context
    )


def _ending_soon_after_a_stop(
    left: Callable[[], float], context: RunContext
) -> Callable[[], float]:
    """Return `left`, but only a few seconds as soon as the user waits for the end (Ctrl-C)."""
    end = math.inf

    def seconds() -> float:
        nonlocal end
        now = context.timetable.now
        if math.isinf(end) and context.host.stop_requested() is not None:
            end = now + HASTY_HARVEST_SECONDS
        return min(left(), end - now)

    return seconds


def _allowance(found: Found) -> Allowance:
    timetable, hurries = found.context.timetable, found.is_interrupted
    plan, now = timetable.plan, timetable.now
    return Allowance(
        minimizing_time(found),
        int(found.context.settings.tunable("minimize.evaluations")),
        lambda: math.inf if hurries else plan.minimize_grace(now, timetable.pace),
        timetable.most_tests,
        found.ready.executor.expected_seconds,
    )


def background(found: Found) -> Background:
    """Return what the project says and what the search has learnt."""
    ready = found.ready
    return Background(
        ready.handle.writing_users,
        ready.problem.callers,
        FetchedKeys(ready.constants()),
        found.context.extensions.stability,
        ready.problem.known.model.described,
        _permanence(found),
        freezes_of(ready, found.loop),
        ready.fence,
        found.context.early.finished,
        _mutants(ready),
        Sources(
            partial(_wording, ready),
            StatedVersions.of(found.context.settings.rootdir).newer_library,
            partial(_is_of_machine, ready),
        ),
        ready.problem.rows,
    )


def _mutants(ready: Prepared) -> LiveMutants | None:
    """Return what changes the application, if it runs in this process and is put back here."""
    if ready.recording is None or not isinstance(ready.executor.performer, LocalPerformer):
        return None
    return LiveMutants(loaded_sources(ready.recording))


def _wording(ready: Prepared) -> Wording:
    return Wording.of(template_text(ready.handle.app))


def _is_of_machine(ready: Prepared, text: str) -> bool:
    settings = getattr(ready.handle.app, "config", {})
    return bool(WEB_TOKEN.search(text)) and is_signed_with(
        text, machine_keys(settings, ready.constants())
    )


def _permanence(found: Found) -> InProcess:
    """Return what the written tests can rely on: they share a process, with forks or without.

    A budget of evaluations leaves time for all circumstances, which find what depends on the order.
    """
    ready, is_timely = found.ready, found.context.timetable.plan.seconds is not None
    if not found.resort.reason or not is_timely or not ready.handle.support.sets_up_once:
        return ready.permanence
    return InForks(ready.permanence, found.resort.leftover)


def _report_count(found: Found, done: int, total: int) -> None:
    found.context.early.read()  # the finisher works in the meantime
    found.context.timetable.note(tests=total)
    found.context.timetable.predict_end(Reduction.name, done / max(1, total))
    found.context.report(f"{done} of {total}")
