"""A run: prepare, search, harvest, write, and build the outcome for the reports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.core.events import Sink
from pytest_evosearch.core.safekeeping import Safekeeping
from pytest_evosearch.engine.beginnings import FIRST_BEGINNING
from pytest_evosearch.engine.beginnings import Beginning
from pytest_evosearch.engine.extensions import NO_EXTENSIONS
from pytest_evosearch.engine.extensions import Extensions
from pytest_evosearch.engine.host import Host
from pytest_evosearch.engine.preparing.planned_run import ListingRun
from pytest_evosearch.engine.preparing.planned_run import PlannedRun
from pytest_evosearch.errors import InvalidSetting
from pytest_evosearch.instrument.recording import Recording
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.settings.checked import Settings

if TYPE_CHECKING:
    from pytest_evosearch.engine.islands import Companions


def run(
    settings: Settings,
    host: Host,
    sinks: Sequence[Sink] = (),
    recording: Recording | None = None,
    extensions: Extensions = NO_EXTENSIONS,
    companions: Companions | None = None,
    safe: Safekeeping | None = None,
    began: float | None = None,
    beginning: Beginning | None = None,
) -> Outcome:
    """Search the host's application and write its tests; results are never lost.

    `extensions` are what the project adds.  `companions` are the processes that search beside this
    one; None means none.  `safe` keeps copies of what is changed, in case the process dies.
    `began` is the moment when the command started, by `core.clock.monotonic`.  `beginning` says how
    to start again, and whether this run has done so.
    """
    began = monotonic() if began is None else began
    if settings.application.calls_units_alone:
        from pytest_evosearch.engine.units.unit_run import UnitRun

        if recording is None:
            raise InvalidSetting("--evosearch-units needs --evosearch-level=1 or higher")
        return UnitRun(settings, host, sinks, recording, extensions, safe, began).execute()
    given = settings, host, sinks, recording, extensions, companions, safe
    if settings.application.adds_units and not (settings.plan or settings.reports.lists_endpoints):
        from pytest_evosearch.engine.units.added_units import RunWithUnits

        return RunWithUnits(*given, began, beginning or FIRST_BEGINNING).execute()
    return _kind_of_run(settings)(*given, began, beginning or FIRST_BEGINNING).execute()


def _kind_of_run(settings: Settings) -> type[PlannedRun]:
    """Return the class of a run, and load its modules before the application is loaded.

    A list of endpoints does not load the modules of a search, and a plan does not load those of the
    phases after it: each is a large part of the modules.
    """
    if settings.reports.lists_endpoints:
        return ListingRun
    if settings.plan:
        from pytest_evosearch.engine.plan_run import PlanRun

        return PlanRun
    from pytest_evosearch.engine.whole_run import WholeRun

    return WholeRun
