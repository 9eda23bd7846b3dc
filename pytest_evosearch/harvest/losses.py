"""Targets and tests that are not written, with the reasons."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.report.outcome import DroppedRow

TOO_LATE = "there was no time to execute it once more"

INTERNAL_ERROR = "an error of pytest-evosearch itself: see the notices"
"""Why there is no test that could not be executed or written."""

NOT_SHOWN = "no response shows this fault, so that no test can assert it: see the report"

NOT_AGAIN = (
    "it did not happen again when its requests were sent to the application in its initial state: "
    "an earlier call or a thread may have caused it"
)

BEFORE_A_FAULT = (
    "only calls that end in a fault reach it, and their tests vouch for the fault alone"
)

NOT_ORDINARY = "only a call shows it that sends more, or less, than what changes its answer"
"""Why what a test covered has none, once it is as people send it."""

ONE_TEST = "one of the tests"
"""Part of a run without which the other tests are written."""


@dataclass
class Losses:
    """The tests that a harvest drops, and the targets that lose their test."""

    dropped: list[DroppedRow] = field(default_factory=list)
    untested: dict[TargetId, str] = field(default_factory=dict)
    """What a test has covered -> why that test is not written; others may show it."""

    def drop(self, name: str, reason: str, targets: Iterable[TargetId] = ()) -> None:
        """Note why a test that shows `targets` is not written."""
        self.dropped.append(DroppedRow(name, reason))
        self.untested.update(dict.fromkeys(targets, reason))

    def give_up(self, individual: Individual, targets: Iterable[TargetId]) -> None:
        """Note that there is no time for a test that shows `targets`."""
        self.drop(name_of(individual), TOO_LATE, targets)


def name_of(individual: Individual) -> str:
    """Return the endpoints of a test, for the report."""
    return " then ".join(call.endpoint for call in individual)
