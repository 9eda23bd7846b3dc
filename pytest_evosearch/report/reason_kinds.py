"""Kinds of reasons why a target was not covered, and their titles in reports."""

from __future__ import annotations

from enum import Enum

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import TargetId


class Kind(str, Enum):
    """The kinds of reasons; reports contain the value."""

    CONDITION = "condition"
    BEHIND = "behind"
    EXCEPTION = "exception"
    CUT_SHORT = "cut-short"
    NEEDS_USER = "needs-user"
    SANDBOX = "sandbox"
    NOT_ANSWERED = "not-answered"
    NOT_CALLED = "not-called"
    UNREACHABLE = "unreachable"


TITLES = {
    Kind.CONDITION: "A condition that never went this way",
    Kind.BEHIND: "Behind a condition that never went the right way",
    Kind.EXCEPTION: "A handler of an exception that never occurred",
    Kind.CUT_SHORT: "The function always ended before this line",
    Kind.NEEDS_USER: "Needs a user with other rights",
    Kind.SANDBOX: "Blocked by the sandbox",
    Kind.NOT_ANSWERED: "The endpoint never ran its view",
    Kind.NOT_CALLED: "The function was never called",
    Kind.UNREACHABLE: "No request can reach it",
}
"""Headings of groups, in the order in which reports show them."""


OF_CONDITIONS = frozenset({Kind.CONDITION, Kind.EXCEPTION})
"""Kinds that a condition may have; the reason of what depends on it names its line."""


@dataclass(frozen=True)
class Reason:
    """Why a target is uncovered."""

    kind: Kind
    text: str
    """One clause, without a full stop."""
    evidence: TargetId = ""
    """The target whose closest test came nearest; empty where no test came near.

    It is a condition, the last line that ran, or a status of the endpoint.
    """
