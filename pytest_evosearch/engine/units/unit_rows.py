"""What a run for units tells its reports."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from dataclasses import replace

from pytest_evosearch.core.failing.fence import Fence
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.engine.units.unit_search import UnitSearch
from pytest_evosearch.execution.units.workers import UnitWorkers
from pytest_evosearch.harvest.units.unit_harvest import UnitHarvest
from pytest_evosearch.problem.units.unit import Unit
from pytest_evosearch.report.outcome import DroppedRow
from pytest_evosearch.report.outcome import Effort
from pytest_evosearch.report.outcome import EndpointRow
from pytest_evosearch.report.outcome import FaultRow
from pytest_evosearch.report.outcome import GeneratedRow
from pytest_evosearch.report.outcome import MutationScore
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.report.outcome import SuiteSummary
from pytest_evosearch.report.outcome import TargetSummary
from pytest_evosearch.write.units.neutral_form import neutral_form
from pytest_evosearch.write.units.unit_specimen import UnitSpecimen
from pytest_evosearch.write.written_suite import WrittenSuite

FAILED = "its tests could not be made, by a mistake of this plugin that another notice tells"

ROWS = "rows of the report"
"""How a notice names a part of the report."""

FAULT_CODE = "unit-error"
"""The code of an error that a unit raises by accident."""


@dataclass(eq=False)
class UnitRows:
    """The parts of a finished run."""

    workers: UnitWorkers
    search: UnitSearch
    harvest: UnitHarvest
    suite: WrittenSuite
    mutation: MutationScore | None
    seconds: float
    """How long the search took."""

    def told(self, outcome: Outcome, fence: Fence) -> Outcome:
        """Return the outcome with what was found, written and left out."""
        search, harvest, suite = self.search, self.harvest, self.suite
        archive, harms = search.archive, self.workers.harms
        units = search.problem.units.values()
        given_up = sorted(search.problem.given_up)
        notices = [f"{key} was given up: {harms.get(key, FAILED)}" for key in given_up]
        notices += [*outcome.notices, *harvest.notices, *([suite.notice] if suite.notice else [])]
        dropped = (*harvest.dropped, *suite.dropped)
        return replace(
            outcome,
            notices=tuple(notices),
            faults=tuple(fence.run(ROWS, fault_rows, harvest, suite, otherwise=())),
            discovery=replace(outcome.discovery, endpoints=rows_of_units(units, search.calls)),
            effort=Effort(
                search.meter.evaluations,
                search.meter.evaluations,
                self.seconds,
                tuple(search.timeline),
            ),
            targets=TargetSummary(
                len(archive.covered), len(archive.covered) + len(archive.best), len(archive.known)
            ),
            suite=SuiteSummary(
                tuple(suite.files),
                suite.tests,
                fence.run(ROWS, generated_rows, harvest, suite, otherwise=()),
                dropped=tuple(DroppedRow(*one) for one in dropped),
                unverified=tuple(suite.unverified),
                extent=suite.extent,
                mutation=self.mutation,
            ),
        )


def rows_of_units(units: Iterable[Unit], calls: Mapping[str, int]) -> tuple[EndpointRow, ...]:
    """Return a row for each unit, with the number of its calls."""
    return tuple(
        EndpointRow(
            unit.key,
            (),
            calls.get(unit.key, 0),
            len(unit.parameters),
            tuple(one.name for one in unit.parameters),
        )
        for unit in units
    )


def generated_rows(harvest: UnitHarvest, suite: WrittenSuite) -> tuple[GeneratedRow, ...]:
    """Return a row for each written test, with its calls and results in a neutral form."""
    rows: dict[str, list[UnitSpecimen]] = {}
    for index, name in suite.test_of.items():
        rows.setdefault(name, []).append(harvest.specimens[index])
    return tuple(
        GeneratedRow(
            name,
            covered=len(frozenset().union(*(one.targets for one in members))),
            shows_fault=any(one.fault for one in members),
            units=tuple(neutral_form(one) for one in members),
        )
        for name, members in sorted(rows.items())
    )


def fault_rows(harvest: UnitHarvest, suite: WrittenSuite) -> list[FaultRow]:
    """Return a row for each error that a unit raises by accident."""
    rows = []
    for index, specimen in enumerate(harvest.specimens):
        raised = specimen.result.raised
        if specimen.fault and raised is not None:
            rows.append(
                FaultRow(
                    FAULT_CODE,
                    specimen.unit.key,
                    raised.kind.name,
                    f"{raised.path}:{raised.line}",
                    raised.message,
                    test=suite.test_of.get(index),
                )
            )
    return rows
