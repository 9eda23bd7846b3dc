"""Kinds of reasons why a target was not covered, and how reports call them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from pytest_evosearch.core.targets import TargetId


class Kind(str, Enum):
    """The kinds of reasons; the value goes into reports."""

    CONDITION = "condition"
    BEHIND = "behind"
    CONSTANT = "constant"
    EXCEPTION = "exception"
    CUT_SHORT = "cut-short"
    NEEDS_USER = "needs-user"
    SANDBOX = "sandbox"
    EXTERNAL = "external-call"
    NOT_ANSWERED = "not-answered"
    NOT_CALLED = "not-called"
    UNREACHABLE = "unreachable"


TITLES = {
    Kind.CONDITION: "A condition that never went this way",
    Kind.BEHIND: "Behind a condition that never went the right way",
    Kind.CONSTANT: "A condition that no request changes",
    Kind.EXCEPTION: "A handler of an exception that never occurred",
    Kind.CUT_SHORT: "The function was always left before",
    Kind.NEEDS_USER: "Needs a user who may",
    Kind.SANDBOX: "Blocked by the sandbox",
    Kind.EXTERNAL: "Depends on what another system answers",
    Kind.NOT_ANSWERED: "The endpoint never ran its view",
    Kind.NOT_CALLED: "The function was never called",
    Kind.UNREACHABLE: "No request leads there",
}
"""Headings of groups, in the order in which reports show them."""


OF_CONDITIONS = frozenset(
    {Kind.CONDITION, Kind.CONSTANT, Kind.EXCEPTION, Kind.EXTERNAL, Kind.SANDBOX, Kind.NEEDS_USER}
)
"""Kinds that a condition may have; what depends on it names its line."""


INHERITED = frozenset(
    {Kind.CONSTANT, Kind.NEEDS_USER, Kind.SANDBOX, Kind.EXTERNAL, Kind.UNREACHABLE}
)
"""Kinds that say as much of a function as of the only places that call it."""


@dataclass(frozen=True)
class Reason:
    """Why a target is uncovered."""

    kind: Kind
    text: str
    """One clause, without a full stop."""
    evidence: TargetId = ""
    """The target whose closest test came nearest: a condition, the last line that ran, a status
    of the endpoint.  Empty where no test came near."""
