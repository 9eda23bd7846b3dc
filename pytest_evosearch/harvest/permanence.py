"""The assumptions that tests may make: state is restored, the clock is ours, or neither.

`permanence_of` chooses once for a run: an application in this process, a server that the project
resets, or a server whose state stays. The search finds out when only forks restore an application's
state.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Sequence

from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.execution.answers import AnswerTargets
from pytest_evosearch.execution.repetitions import Condition
from pytest_evosearch.execution.repetitions import shifted_clock
from pytest_evosearch.execution.repetitions import unchanged
from pytest_evosearch.execution.residue import AnswerTargetsWithResidue
from pytest_evosearch.execution.residue import harms_others
from pytest_evosearch.minimize.unstable import AGAIN
from pytest_evosearch.minimize.unstable import CLOCK
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.sut.handle import AppHandle

HARMFUL = "it would change something on the server that it has not made"


class InProcess:
    """The application runs here: its state is restored, and its clock can be moved."""

    conditions: Sequence[tuple[str, Condition]] = ((AGAIN, unchanged), (CLOCK, shifted_clock))
    """The conditions in which a test is repeated, each with what it moves."""
    attempts = 1
    """Number of times that a simpler test must have its result."""
    lost = ""
    """Why an event may not happen again; empty when all events do."""

    def __init__(self) -> None:
        self.answers = AnswerTargets()
        """Says which responses are targets."""

    @property
    def foregone(self) -> Collection[TargetId]:
        """Targets that only tests with possible harm to others could cover."""
        return ()

    def obstacle(self, individual: Individual, exchanges: Sequence[Exchange]) -> str | None:
        """Return why a test must not be written for an individual and its exchanges, or None."""
        return None


class InForks(InProcess):
    """Each test of the search has its own process, while the written tests share one.

    A test that ends an object which starts only once (a scheduler, a pool) would make later tests
    fail.
    """

    def __init__(self, base: InProcess, leftover: Callable[[Individual], str]) -> None:
        """Take `leftover`, which returns what stays changed after a test and a restore."""
        self.answers = base.answers
        self._leftover = leftover

    def obstacle(self, individual: Individual, exchanges: Sequence[Exchange]) -> str | None:
        """Refuse tests after which the application responds differently."""
        left = self._leftover(individual)
        return f"it leaves the application changed for other tests ({left})" if left else None


class OnServer(InProcess):
    """A server that the project resets before each test; its clock is its own."""

    conditions = ((AGAIN, unchanged), (AGAIN, unchanged))


class OnLastingServer(OnServer):
    """A server on which all changes stay."""

    attempts = 2
    lost = "it did not happen again: the server keeps what was sent to it"

    def __init__(self) -> None:
        self.answers: AnswerTargetsWithResidue = AnswerTargetsWithResidue()

    @property
    def foregone(self) -> Collection[TargetId]:
        """Targets of tests that change things which they have not created."""
        return self.answers.foregone.keys()

    def obstacle(self, individual: Individual, exchanges: Sequence[Exchange]) -> str | None:
        """Refuse tests that would change other people's data at each run."""
        return HARMFUL if harms_others(exchanges) else None


def permanence_of(handle: AppHandle) -> InProcess:
    """Return the assumptions that tests of `handle` may make."""
    if handle.unrestored:
        return OnLastingServer()
    return OnServer() if handle.outside else InProcess()
