"""One execution as plain values: what is to be sent, and what came of it.

Both can be pickled, so that the execution may happen in another process.  Nothing is judged
yet: oracles and scores of answers are the executor's (`execution.judging`), as some oracles
remember what they saw.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from enum import Enum
from typing import Protocol
from typing import TypeAlias

from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.execution.repetitions import Condition
from pytest_evosearch.execution.repetitions import unchanged
from pytest_evosearch.execution.started_work import KnownThreads
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.instrument.probing.trace import Sighting
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.individual import Individual


class Look(Enum):
    """How closely an execution is watched."""

    SEARCH = "search"
    """Only for targets that are still of interest."""
    GUIDED = "guided"
    """For targets that are still of interest, and for everything at the last call."""
    FULL = "full"
    """For every target, call by call."""
    AGAIN = "again"
    """Not at all: only what is exchanged counts."""

    @property
    def hears_everything(self) -> bool:
        """Say whether retired targets have to be heard at some call."""
        return self in (Look.GUIDED, Look.FULL)


@dataclass(frozen=True)
class Order:
    """What to execute."""

    individual: Individual
    look: Look = Look.SEARCH
    focus: frozenset[TargetId] = frozenset()
    """Targets whose conditions tell what they see; only of a full look."""
    condition: Condition = unchanged
    """What holds meanwhile; only of a repetition."""
    interpreter: int = 0
    """Whose hashes and addresses the application sees, 0 for this one; only of a repetition."""
    patient: bool = False
    """Whether calls get all of their time limit, also where others have wasted much."""
    then: Individual | None = None
    """What is executed once more in that process after the state was put back."""


@dataclass
class Remains:
    """What is there after the calls, and written tests have to get along with."""

    keeps_context: bool = False
    """Whether a call left a context variable set, for the next call in that context."""
    leaves_threads: bool = False
    """Whether the calls leave threads that end soon; only of a full look."""
    threads: KnownThreads = field(default_factory=KnownThreads)
    """What is known of kinds of threads by now."""
    afterwards: list[Exchange] = field(default_factory=list)
    """What came of `Order.then`."""
    changed: tuple[str, ...] = ()
    """Globals and attributes of the application that had changed before it."""


@dataclass
class Conversation:
    """What one execution brought to light."""

    exchanges: list[Exchange] = field(default_factory=list)
    scores: dict[TargetId, float] = field(default_factory=dict)
    covered: list[frozenset[TargetId]] = field(default_factory=list)
    """What the probes covered at each call; only of a full look."""
    comparisons: list[Comparison] = field(default_factory=list)
    sightings: list[Sighting] = field(default_factory=list)
    guidance: Sequence[Comparison] = ()
    """All that the last call compared; only when it was guided."""
    reach: int = 0
    """How many targets the last call covered; only when it was guided."""
    reached: frozenset[TargetId] = frozenset()
    """Those targets."""
    disturbances: tuple[str, ...] = ()
    """What the calls did to the process that tests share; only of a full look."""
    harms: tuple[str, ...] = ()
    """What would have done harm for good, had it not been held back or undone; only of a full
    look."""
    created: tuple[str, ...] = ()
    """Patterns of the files that the calls created, below the project; only of a full look."""
    remains: Remains = field(default_factory=Remains)
    ended: dict[str, int] = field(default_factory=dict)
    """Processes that calls left running, by endpoint, and that were ended."""
    complaints: list[str] = field(default_factory=list)
    """What went wrong in code of the project that changes requests, one line each."""
    drew_random_numbers: bool = False
    """Whether the global random numbers were drawn from; only of a repetition."""
    draws: int = 0
    """How often the system's random bytes were drawn; only of a repetition."""
    identities: int = 0
    """How often the application asked for a hash or an address; only of a repetition."""
    threads: int = 0
    """Threads that the calls have started; only of a repetition."""


Announcement: TypeAlias = "Callable[[Sequence[Exchange], Request, str | None], None]"
"""Told before each call what came before it, what is sent and as whom."""


def say_nothing(_before: Sequence[Exchange], _request: Request, _user: str | None) -> None:
    """Announce no call."""


class Performer(Protocol):
    """What executes orders, here or in another process."""

    def perform(self, order: Order) -> Conversation:
        """Execute `order` from the restored state."""
        ...

    def retire(self, targets: Sequence[TargetId]) -> None:
        """Stop recording `targets`, except in full executions."""
        ...

    def respecialize(self) -> None:
        """Free the application's code of the probes that are silent for good."""
        ...
