"""Tests made on purpose, for faults that a search for coverage rarely shows."""

from __future__ import annotations

from pytest_evosearch.engine.inquiry import inquire
from pytest_evosearch.engine.phases.confirmation import confirm_freezes
from pytest_evosearch.engine.phases.found import Found
from pytest_evosearch.engine.phases.minimizing import minimizing_time
from pytest_evosearch.problem.http.inquiries.forged_inquiry import ForgedInquirer


class TargetedChecks:
    """Sends what oracles ask for."""

    name = "inquire"

    def skipped_because(self, found: Found) -> str:
        """Skip the checks when the user, a fault or an error has ended the search."""
        return "the search was cut short" if found.is_cut_short else ""

    def run(self, found: Found) -> None:
        """Ask until the time is over; what was found until then stays."""
        left = minimizing_time(found)
        ready = found.ready
        users = tuple(ready.handle.users)
        forged = ForgedInquirer(ready.forged.forge, ready.sent_by)
        inquire(found.context.settings, found.loop, lambda: left() <= 0, users, forged)


class FreezeConfirmation:
    """Asks once more whether calls end that were cut off early."""

    name = ""

    def skipped_because(self, _found: Found) -> str:
        """Skip never: without shortened calls there is nothing to ask."""
        return ""

    def run(self, found: Found) -> None:
        """Withdraw what ends; what there was no time to ask is no fault, and is told."""
        seconds = found.context.timetable.plan.confirming_seconds
        found.confirmation = confirm_freezes(found.ready, found.loop, seconds)
