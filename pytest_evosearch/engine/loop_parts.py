"""What a search loop gets: the loaded source, when to end, and what to do in between."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Sequence
from dataclasses import field

from pytest_evosearch.core.events import Event
from pytest_evosearch.core.events import Sink
from pytest_evosearch.core.failing.fence import Fence
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.engine.walks.page_walks import Walking
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.http.exchanges.individual import Individual

PROGRESS_INTERVAL = 0.05
"""Seconds between two progress events: a terminal shows five a second."""


@dataclass(frozen=True)
class LoadedSource:
    """The targets of the loaded source, and the probes that report them."""

    retire: Callable[[Iterable[TargetId]], None]
    """Removes the probes of covered targets."""
    respecialize: Callable[[], None]
    """Recompiles the application without the probes that can report nothing new."""
    known: Callable[[], int]
    """Returns how many targets are known to exist."""
    expected: Callable[[], Collection[TargetId]]
    """Returns the targets of the loaded source that no import has covered; () in a black box."""


@dataclass
class Ending:
    """What ends a search, besides what it has found."""

    stop_requested: Callable[[], str | None]
    maximum_faults: int = 0
    once_covered: bool = True
    """Whether nothing is left to do when everything that is known is covered."""
    share: float = 1.0
    """The share of the budget at which the search ends; the browser gets the rest."""
    spent: Callable[[], float] | None = None
    """Returns the spent share of a budget of seconds; None to use the meter."""
    interruption: str | None = None
    """Why the host wants the search to stop, if it said so when it was asked."""

    def is_interrupted(self) -> bool:
        """Ask the host whether the search must stop."""
        self.interruption = self.stop_requested()
        return self.interruption is not None


@dataclass
class Occasions:
    """Functions that a search calls now and then."""

    keep: Callable[[], None] = lambda: None
    """Saves what was found in case the process dies; called a few times a second."""
    newcomers: Callable[[], Iterable[Individual]] = lambda: ()
    """Returns, now and then, tests of other islands that are ahead of this archive."""
    confirm: Callable[[Evaluation[Individual]], Evaluation[Individual]] = lambda seen: seen
    """Executes once more what would be kept, and returns what it shows with plain objects."""
    check_state: Callable[[], None] = lambda: None
    """Checks a few times during the search whether the application's state was restored."""
    walking: Walking | None = None
    """Makes walks over pages; None for none."""
    fence: Fence = field(default_factory=Fence)
    """Runs what a search can do without: learning, attempts to get in, the functions here."""


@dataclass
class Announcements:
    """Sends the state of a search to the sinks."""

    sinks: Sequence[Sink]
    forecast: Callable[[float], tuple[float, float | None]] = lambda share: (share, None)
    """Returns, for a share of the search, the share of the command and the seconds left."""
    announced_at: float = -PROGRESS_INTERVAL
    """Second of the search at which progress was last sent."""

    def is_due(self, elapsed: float) -> bool:
        """Say whether progress was last sent long enough ago."""
        return elapsed - self.announced_at >= PROGRESS_INTERVAL

    def send(self, event: Event) -> None:
        """Send an event to every sink."""
        for sink in self.sinks:
            sink(event)
