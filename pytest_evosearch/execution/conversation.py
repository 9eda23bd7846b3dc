"""One execution as plain values: the order to execute, and its results.

Both can be pickled, so another process may execute the order. Nothing is judged here:
`execution.judging` runs the oracles and scores the responses, because some oracles remember what
they saw.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import field
from enum import Enum
from typing import Protocol
from typing import TypeAlias

from pytest_evosearch.core.failing.fence import Mishap
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.execution.confirming.recorded_calls import NOWHERE
from pytest_evosearch.execution.confirming.recorded_calls import Places
from pytest_evosearch.execution.repetitions import Condition
from pytest_evosearch.execution.repetitions import unchanged
from pytest_evosearch.execution.started_work import KnownThreads
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.instrument.probing.trace import Sighting
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual

GoOn: TypeAlias = "Callable[[Sequence[Exchange]], Call | None]"
"""Returns the next call of a test that grows while it is executed; None at its end."""


class Look(Enum):
    """How closely an execution is watched."""

    SEARCH = "search"
    """Watch only targets that are still of interest."""
    GUIDED = "guided"
    """Watch targets that are still of interest, and every target at the last call."""
    FULL = "full"
    """Watch every target, call by call."""
    AGAIN = "again"
    """Watch no target: only the exchanges count."""

    @property
    def records_everything(self) -> bool:
        """Say whether some call must record retired targets."""
        return self in (Look.GUIDED, Look.FULL)


@dataclass(frozen=True)
class Order:
    """What to execute, and how closely to watch it."""

    individual: Individual
    look: Look = Look.SEARCH
    focus: frozenset[TargetId] = frozenset()
    """Targets whose conditions record the values that they compare; only for `Look.FULL`."""
    condition: Condition = unchanged
    """The circumstances of the execution; only for `Look.AGAIN`."""
    interpreter: int = 0
    """Number of the interpreter whose hashes and addresses the application sees.

    0 is this one. Only for `Look.AGAIN`.
    """
    patient: bool = False
    """Whether calls get their full time limit, even when other calls have wasted much time."""
    recorded: Places = NOWHERE
    """Calls in which handlers get recording objects, which show what they read."""
    layers: bool = True
    """Whether layers in front of the application get a recording WSGI environment, too."""
    anew: bool = False
    """Whether everything in the process is put back before, even what hardly ever changes."""
    go_on: GoOn | None = None
    """Returns what follows the exchanges so far; only in this process, for `Look.SEARCH`."""
    then: Individual | None = None
    """Calls that the same process executes next, after it has put the state back."""


@dataclass
class Remains:
    """Effects that outlast the calls, and that written tests must cope with."""

    keeps_context: bool = False
    """Whether a call left a context variable set for the next call in that context."""
    leaves_threads: bool = False
    """Whether the calls leave threads that end soon; only for `Look.FULL`."""
    warnings: tuple[str, ...] = ()
    """Classes of warnings that the calls issued; only for `Look.FULL`."""
    threads: KnownThreads = field(default_factory=KnownThreads)
    """What is known so far about kinds of threads."""
    afterwards: list[Exchange] = field(default_factory=list)
    """The exchanges of `Order.then`."""
    changed: tuple[str, ...] = ()
    """Globals and attributes of the application that had changed before `Order.then` ran."""
    mishaps: Sequence[Mishap] = ()
    """What failed among the watchers so far."""


@dataclass
class Conversation:
    """The results of one execution."""

    exchanges: list[Exchange] = field(default_factory=list)
    further: list[tuple[Call, Mapping[TargetId, float]]] = field(default_factory=list)
    """The calls by which the test has grown (`Order.go_on`), and what the probes saw in each."""
    scores: dict[TargetId, float] = field(default_factory=dict)
    covered: list[frozenset[TargetId]] = field(default_factory=list)
    """The targets that the probes saw covered, for each call; only for `Look.FULL`."""
    comparisons: list[Comparison] = field(default_factory=list)
    sightings: list[Sighting] = field(default_factory=list)
    guidance: Sequence[Comparison] = ()
    """All comparisons of the last call; only for `Look.GUIDED`."""
    reached: frozenset[TargetId] = frozenset()
    """The targets that the last call covered; only for `Look.GUIDED`."""
    disturbances: tuple[str, ...] = ()
    """Changes that the calls made to the process, which tests share; only for `Look.FULL`."""
    harms: tuple[str, ...] = ()
    """Lasting damage that the calls attempted and that was blocked; only for `Look.FULL`."""
    created: tuple[str, ...] = ()
    """Patterns of the files that the calls created below the project; only for `Look.FULL`."""
    remains: Remains = field(default_factory=Remains)
    ended: dict[str, int] = field(default_factory=dict)
    """Endpoint -> number of processes that its calls left running and that were ended."""
    complaints: list[str] = field(default_factory=list)
    """Failures of the project's own code that changes requests, one line each."""
    drew_random_numbers: bool = False
    """Whether a call drew from the global random numbers; only for `Look.AGAIN`."""
    draws: int = 0
    """How many times a call drew the system's random bytes; only for `Look.AGAIN`."""
    identities: int = 0
    """How many times the application asked for a hash or an address; only for `Look.AGAIN`."""
    threads: int = 0
    """Number of threads that the calls started; only for `Look.AGAIN`."""


Announcement: TypeAlias = "Callable[[Sequence[Exchange], Request, str | None], None]"
"""Called before each call with the exchanges so far, the request, and the user who sends it."""


def say_nothing(_before: Sequence[Exchange], _request: Request, _user: str | None) -> None:
    """Announce no call."""


class Performer(Protocol):
    """Executes orders, in this process or in another one."""

    def perform(self, order: Order) -> Conversation:
        """Execute `order` from the restored state."""
        ...

    def retire(self, targets: Sequence[TargetId]) -> None:
        """Stop recording `targets`, except in full executions."""
        ...

    def respecialize(self) -> None:
        """Remove the probes that stay silent for good from the application's code."""
        ...
