"""Which endpoint is being called, and whether its test is followed closely.

Threads note which call started them, and a run that dies notes its cause.

Nearly all tests of a search vary what earlier tests have sent, and most applications never touch
the process that they share with the search. So a look at everything after each call would find
nothing, thousands of times. These tests are followed closely:

    each test that may be written      whatever is written was looked at call by call
    the first calls of each endpoint
    one of several later tests
    all tests, once any has changed anything

A test that is not followed closely is still looked at when it ends, if it has reached code that no
test reached before.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence

LOOKS_AT_FIRST = 8
"""Calls of an endpoint whose tests are followed closely."""

TESTS_BETWEEN_LOOKS = 8
"""Later tests from one look at the process to the next: a look takes some 50 microseconds."""


class CurrentCall:
    """The endpoint of the call that runs now, or ran last."""

    def __init__(self) -> None:
        self.endpoint = ""
        self.is_running = False
        self.announce: Callable[[str], None] | None = None
        """Called with the endpoint before each call, and with an empty text after it."""

    def begin(self, endpoint: str) -> None:
        """Note that the call of `endpoint` begins."""
        self.endpoint, self.is_running = endpoint, True
        if self.announce is not None:
            self.announce(endpoint)

    def end(self) -> None:
        """Note that the call is over; threads that it has started still belong to it."""
        self.is_running = False
        if self.announce is not None:
            self.announce("")


class Attention:
    """Knows how often each endpoint was called, and whether anything was ever changed."""

    def __init__(self) -> None:
        self.is_close = True
        """Whether the present test is followed closely."""
        self.is_suspect = False
        """Whether any test has changed anything by now."""
        self.is_familiar = False
        """Whether the present test has only executed what others have executed before."""
        self._tests = 0
        self._calls: dict[str, int] = {}

    def begin(self, trusted: Sequence[str] | None = None) -> None:
        """Begin a test, which is followed closely unless it only calls the endpoints `trusted`."""
        self._tests += 1
        self.is_familiar = False
        is_new = trusted is None or self._are_new(trusted)
        self.is_close = is_new or self.is_suspect or self._is_due

    @property
    def passes_over(self) -> bool:
        """Say whether the test that ends needs no look at the process."""
        return self.is_familiar and not self.is_suspect and not self._is_due

    @property
    def _is_due(self) -> bool:
        return not self._tests % TESTS_BETWEEN_LOOKS

    def _are_new(self, endpoints: Sequence[str]) -> bool:
        """Count calls, and say whether one of them is an early call of its endpoint."""
        is_new = False
        for endpoint in endpoints:
            calls = self._calls[endpoint] = self._calls.get(endpoint, 0) + 1
            is_new |= calls <= LOOKS_AT_FIRST
        return is_new
