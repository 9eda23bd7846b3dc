"""The beginning of a run: prepare, and show what was found."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import field
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.core.events import Discovered
from pytest_evosearch.core.events import Event
from pytest_evosearch.core.events import Notice
from pytest_evosearch.core.events import Sink
from pytest_evosearch.core.failing.fence import Fence
from pytest_evosearch.core.failing.fence import located
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.safekeeping import Safekeeping
from pytest_evosearch.engine.beginnings import FIRST_BEGINNING
from pytest_evosearch.engine.beginnings import Beginning
from pytest_evosearch.engine.extensions import NO_EXTENSIONS
from pytest_evosearch.engine.extensions import Extensions
from pytest_evosearch.engine.host import Host
from pytest_evosearch.engine.preparing.endpoint_rows import endpoint_rows
from pytest_evosearch.engine.preparing.finisher_hindrance import described
from pytest_evosearch.engine.preparing.folders import output_folder
from pytest_evosearch.engine.preparing.folders import shown_path
from pytest_evosearch.engine.preparing.fork_findings import asked_findings
from pytest_evosearch.engine.preparing.preparation import prepared
from pytest_evosearch.engine.preparing.ready_search import Prepared
from pytest_evosearch.engine.timetable import Timetable
from pytest_evosearch.errors import EvosearchError
from pytest_evosearch.instrument.recording import Recording
from pytest_evosearch.report.outcome import Discovery
from pytest_evosearch.report.outcome import ExitReason
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.report.outcome import TargetSummary
from pytest_evosearch.settings.checked import Settings
from pytest_evosearch.settings.phase_shares import SLOW_START_SECONDS
from pytest_evosearch.settings.phase_shares import SLOW_START_SHARE
from pytest_evosearch.settings.phase_shares import UNITS_SHARE
from pytest_evosearch.settings.time_plan import time_plan

if TYPE_CHECKING:
    from pytest_evosearch.engine.islands import Companions


@dataclass(eq=False)
class PlannedRun:
    """One run up to the discovery block."""

    settings: Settings
    host: Host
    sinks: Sequence[Sink]
    recording: Recording | None
    extensions: Extensions = NO_EXTENSIONS
    companions: Companions | None = None
    safe: Safekeeping | None = None
    began: float = field(default_factory=monotonic)
    beginning: Beginning = FIRST_BEGINNING

    def __post_init__(self) -> None:
        counted_from = self.beginning.counted_from(self.began, self.settings.budget)
        self.timetable = Timetable(time_plan(self.settings), counted_from)
        self.fence = Fence()
        """Collects the failures of parts that the run can do without."""

    def execute(self) -> Outcome:
        """Prepare, show what was found, and return the outcome of the rest."""
        outcome: Outcome | None = None
        try:
            surroundings = self.host, self.recording, self.extensions, self.safe
            began = monotonic()
            with prepared(self.settings, *surroundings, self.fence) as ready:
                outcome = self._of(ready, began)
        except EvosearchError:
            raise
        except Exception as error:
            if outcome is None:
                raise
            notice = f"an error of pytest-evosearch itself while it tidied up: {located(error)}"
            return replace(outcome, notices=(*outcome.notices, notice))
        return outcome

    def _of(self, ready: Prepared, began: float) -> Outcome:
        """Return the outcome of what is prepared since the moment `began`."""
        self.timetable.note(
            loading=self.timetable.now - self._seconds_of_search_alone(ready),
            set_up=ready.handle.set_up_seconds,
        )
        outcome = self._discovered(ready)
        outcome = self._with_slow_start(outcome, monotonic() - began)
        return self._followed(ready, outcome)

    def _starting_seconds(self, ready: Prepared) -> float:
        """Return the seconds of the command until the application was prepared."""
        return self.timetable.pace.loading + self._seconds_of_search_alone(ready)

    def _seconds_of_search_alone(self, ready: Prepared) -> float:
        """Return the seconds of preparing that an interpreter which verifies does not spend.

        It neither runs the project's tests nor instruments the application.
        """
        recording = ready.recording
        transforming = recording.transforming_seconds if recording is not None else 0.0
        return ready.handle.tests.recording_seconds + transforming

    def _followed(self, _ready: Prepared, outcome: Outcome) -> Outcome:
        """Return the outcome of what follows: nothing, in a run that only plans."""
        return outcome

    def _foreseen(self, _ready: Prepared) -> Mapping[str, str]:
        """Return rows about what follows; a run that goes on shows it instead."""
        return {}

    def _discovered(self, ready: Prepared) -> Outcome:
        """Show what was found, and return the outcome of a run that stops here."""
        folder = output_folder(self.settings, ready.handle.support)
        findings = {
            **ready.findings,
            **asked_findings(self.settings, ready),
            "output": shown_path(folder, self.settings.rootdir),
            **self._foreseen(ready),
        }
        self._emit(Discovered(findings))
        for notice in ready.notices:
            self._emit(Notice(notice))
        return Outcome(
            ExitReason.PLAN,
            self.settings.seed,
            notices=ready.notices,
            reproduce=self.settings.command_line.reproduce,
            targets=TargetSummary(known=ready.known_targets()),
            discovery=Discovery(endpoints=endpoint_rows(ready), findings=findings),
        )

    def _with_slow_start(self, outcome: Outcome, seconds: float) -> Outcome:
        """Add a notice when the start before the search took long."""
        budget = self.settings.budget.seconds
        if budget is None or seconds < SLOW_START_SECONDS or seconds < SLOW_START_SHARE * budget:
            return outcome
        notice = (
            f"setting up the application took {seconds:.0f} s of the time before the search: "
            "check what its import and its fixtures do"
        )
        return replace(outcome, notices=(*outcome.notices, notice))

    def _notify(self, line: str) -> None:
        self._emit(Notice(line))

    def _emit(self, event: Event) -> None:
        for sink in self.sinks:
            sink(event)


class ListingRun(PlannedRun):
    """A run that stops at the discovery block, and sends no requests for it."""

    def _foreseen(self, ready: Prepared) -> Mapping[str, str]:
        """Return how the time would be divided."""
        return {
            "time": self.timetable.plan.description,
            "finish": described(self.settings, ready, self._starting_seconds(ready)),
            **self._foreseen_units(),
        }

    def _foreseen_units(self) -> Mapping[str, str]:
        """Return what units will get, where they follow the search of the application."""
        if not self.settings.application.adds_units:
            return {}
        part = self.settings.budget.part(UNITS_SHARE)
        return {"units": f"after the search, what it does not reach: {part} of the budget"}
