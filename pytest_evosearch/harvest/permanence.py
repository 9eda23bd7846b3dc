"""What tests can count on: that the state comes back, that the clock is ours, or neither.

Chosen once for a run, by `permanence_of`: an application in this process, a server that the
project sets back, a server on which everything stays.  An application whose state only forked
processes bring back is found out in the search.
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
    """The application runs here: its state comes back, and its clock can be moved."""

    conditions: Sequence[tuple[str, Condition]] = ((AGAIN, unchanged), (CLOCK, shifted_clock))
    """Under which a test is repeated, by what they move."""
    attempts = 1
    """Times that a simpler test has to do the same."""
    lost = ""
    """Why what happened once may not happen again; empty where all of it does."""

    def __init__(self) -> None:
        self.answers = AnswerTargets()
        """Says which answers count."""

    @property
    def foregone(self) -> Collection[TargetId]:
        """Targets that tests could cover, if they may harm others."""
        return ()

    def obstacle(self, individual: Individual, exchanges: Sequence[Exchange]) -> str | None:
        """Return why no test may be written of an individual and its exchanges, or None."""
        return None


class InForks(InProcess):
    """Each test of the search has a process of its own, and the written tests share one.

    A test that ends what was started once (a scheduler, a pool) would fail those after it.
    """

    def __init__(self, base: InProcess, leftover: Callable[[Individual], str]) -> None:
        """Ask `leftover` what a test leaves changed after the state was put back."""
        self.answers = base.answers
        self._leftover = leftover

    def obstacle(self, individual: Individual, exchanges: Sequence[Exchange]) -> str | None:
        """Refuse tests after which the application answers otherwise."""
        left = self._leftover(individual)
        return f"it leaves the application changed for other tests ({left})" if left else None


class OnServer(InProcess):
    """A server that the project sets back before each test; its clock is its own."""

    conditions = ((AGAIN, unchanged), (AGAIN, unchanged))


class OnLastingServer(OnServer):
    """A server on which everything stays that tests do."""

    attempts = 2
    lost = "it did not happen again: the server keeps what was sent to it"

    def __init__(self) -> None:
        self.answers: AnswerTargetsWithResidue = AnswerTargetsWithResidue()

    @property
    def foregone(self) -> Collection[TargetId]:
        """Targets of tests that change what they have not made."""
        return self.answers.foregone.keys()

    def obstacle(self, individual: Individual, exchanges: Sequence[Exchange]) -> str | None:
        """Refuse tests that would change the data of others, each time that they are run."""
        return HARMFUL if harms_others(exchanges) else None


def permanence_of(handle: AppHandle) -> InProcess:
    """Return what tests of `handle` can count on."""
    if handle.unrestored:
        return OnLastingServer()
    return OnServer() if handle.outside else InProcess()
