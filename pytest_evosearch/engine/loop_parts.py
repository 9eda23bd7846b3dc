"""What a search loop is given by others: the loaded source, when to end, and what to do beside."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Sequence
from dataclasses import dataclass

from pytest_evosearch.core.events import Event
from pytest_evosearch.core.events import Sink
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.problem.http.exchanges.individual import Individual

PROGRESS_INTERVAL = 0.05
"""Seconds between two events of progress: a terminal shows five a second."""


@dataclass(frozen=True)
class LoadedSource:
    """The targets of the loaded source, and the probes that report them."""

    retire: Callable[[Iterable[TargetId]], None]
    """Take the probes of covered targets away."""
    respecialize: Callable[[], None]
    """Recompile the application without the probes that have nothing left to learn."""
    known: Callable[[], int]
    """How many targets exist as far as is known."""
    expected: Callable[[], Collection[TargetId]]
    """The targets of the loaded source that no import has covered; () in a black box."""


@dataclass
class Ending:
    """What ends a search, beside what it has found."""

    stop_requested: Callable[[], str | None]
    maximum_faults: int = 0
    once_covered: bool = True
    """Whether nothing is left to do when everything that is known is covered."""
    spent: Callable[[], float] | None = None
    """Tells the share of a budget of seconds that is spent; None for the meter's own."""
    interruption: str | None = None
    """Why the host wants the search to stop, as far as it was asked."""

    def is_interrupted(self) -> bool:
        """Ask the host whether the search has to stop."""
        self.interruption = self.stop_requested()
        return self.interruption is not None


@dataclass
class Occasions:
    """What others do while a search runs."""

    keep: Callable[[], None] = lambda: None
    """Keep what was found, should the process die; called a few times a second."""
    newcomers: Callable[[], Iterable[Individual]] = lambda: ()
    """Tests of other islands that are ahead of this archive, now and then."""
    check_state: Callable[[], None] = lambda: None
    """Look, at a few moments of the search, whether the application's state comes back."""


@dataclass
class Announcements:
    """Tells the sinks how a search stands."""

    sinks: Sequence[Sink]
    forecast: Callable[[float], tuple[float, float | None]] = lambda share: (share, None)
    """Tells, for a share of the search, that of the whole command and the seconds that are left."""
    announced_at: float = -PROGRESS_INTERVAL
    """Second of the search in which progress was last announced."""

    def is_due(self, elapsed: float) -> bool:
        """Say whether progress was last announced long enough ago."""
        return elapsed - self.announced_at >= PROGRESS_INTERVAL

    def send(self, event: Event) -> None:
        """Hand an event to every sink."""
        for sink in self.sinks:
            sink(event)
