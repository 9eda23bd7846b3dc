"""Faults that oracles report, and what a written test of one expects."""

from __future__ import annotations

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import TargetId


@dataclass(frozen=True)
class Expectation:
    """What should be true of the last response; a written test of a fault asserts it.

    `kind` is one of

        ``status-below``   the status is less than `value`
        ``status-in``      the status is one of the tuple `value`
        ``status-is-not``  the status is another one than `value`
        ``location-is-not`` the response does not redirect to `value`
        ``lacks``          the body does not hold the text `value`
        ``lacks-setting``  the body does not hold the value of the setting called `value`
        ``header``         there is a header called `value`
        ``empty``          there is no body
        ``json-type``      the JSON at `path` is an instance of the types named in the tuple `value`
        ``json-has``       the JSON object at `path` has the key `value`
        ``json-lacks``     the JSON object at `path` has no key `value`
        ``json-is``        the JSON at `path` equals `value`
        ``json-is-not``    the JSON at `path` differs from `value`
        ``json-length``    the JSON list at `path` has the length `value`
        ``json-in``        the JSON at `path` is one of the list `value`
        ``unseen``         no response shows it, so that no test can assert it
    """

    kind: str
    value: object = None
    path: tuple[str | int, ...] = ()
    phrase: str = "does_not_crash"
    """How the name of the test ends; it may contain a name of the application as spelled there."""


NO_SERVER_ERROR = Expectation("status-below", 500)

CRASH = "crash"
"""Code of faults that are exceptions, seen outside the application or in a GraphQL response."""


@dataclass(frozen=True)
class Fault:
    """A defect of the application that an oracle reports."""

    code: str
    """Stable code of the oracle's finding, ``crash``, ``server-error``, ``freeze``."""
    endpoint: str
    kind: str
    """Exception type, or the status: ``ZeroDivisionError``, ``500``."""
    position: str
    """``file:line`` of the innermost application frame, or ``unknown``."""
    message: str
    call: int
    """Index of the call that shows it."""
    target: TargetId
    expectation: Expectation = NO_SERVER_ERROR
    way: str = ""
    """What leads to the fault, as the functions of a crash; endpoints with one way share it."""

    @property
    def is_failure(self) -> bool:
        """Whether the call failed as a whole: the code that it covers was not seen to work."""
        return self.expectation == NO_SERVER_ERROR or self.code == CRASH
