"""Tests made on purpose, for faults that a search for coverage rarely shows."""

from __future__ import annotations

from pytest_evosearch.engine.checks import inquire
from pytest_evosearch.engine.phases.confirmation import confirm_freezes
from pytest_evosearch.engine.phases.confirmation import tell_answers
from pytest_evosearch.engine.phases.found import Found
from pytest_evosearch.engine.phases.minimizing import minimizing_time
from pytest_evosearch.problem.http.inquiries.forged_inquiry import ForgedInquirer


class TargetedChecks:
    """Sends calls that oracles need."""

    name = "inquire"
    is_optional = True

    def skipped_because(self, found: Found) -> str:
        """Skip the checks when the user, a fault or an error has ended the search."""
        return "the search was cut short" if found.is_cut_short else ""

    def run(self, found: Found) -> None:
        """Send calls until the time is over; what was found until then stays."""
        left = minimizing_time(found)
        ready = found.ready
        users = ready.handle.writing_users
        forged = ForgedInquirer(ready.forged.forge, ready.sent_by)
        inquire(found.context.settings, found.loop, lambda: left() <= 0, users, forged)


class FreezeConfirmation:
    """Sends calls again that were cut off early."""

    name = ""
    is_optional = True

    def skipped_because(self, _found: Found) -> str:
        """Never skip: without shortened calls there is nothing to send."""
        return ""

    def run(self, found: Found) -> None:
        """Withdraw the freezes of calls that end, and of calls for which there was no time.

        A notice reports the latter.  What the application answers on purpose is no fault, either.
        """
        seconds = found.context.timetable.plan.confirming_seconds
        found.confirmation = confirm_freezes(found.ready, found.loop, seconds)
        tell_answers(found.ready, found.loop)
