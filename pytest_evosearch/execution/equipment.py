"""What an execution needs from outside: the application, and everything that watches it."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Sequence
from typing import Any
from typing import Protocol

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.execution.crash import SourceName
from pytest_evosearch.execution.current_call import CurrentCall
from pytest_evosearch.execution.garbage import GarbageCollector
from pytest_evosearch.execution.guard import TimeLimit
from pytest_evosearch.execution.offspring import Offspring
from pytest_evosearch.execution.process import ProtectedProcess
from pytest_evosearch.execution.sleep import ShortenedSleep
from pytest_evosearch.execution.threads import ThreadWatch
from pytest_evosearch.instrument.probing.trace import Trace
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.exchange import PlacedRow
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.sut.clients.client import RawResponse
from pytest_evosearch.sut.clients.client import send
from pytest_evosearch.sut.documents.validators.catching import ValidatorWatch
from pytest_evosearch.sut.handle import AppHandle
from pytest_evosearch.sut.outgoing.answered_services import AnsweredServices
from pytest_evosearch.sut.queries.absent_tables import AbsentTables
from pytest_evosearch.sut.state.written_files import WrittenFiles
from pytest_evosearch.sut.watching.observe import ReadRecorder
from pytest_evosearch.sut.watching.outbox import Outbox
from pytest_evosearch.sut.watching.resolver_failures import ResolverWatch
from pytest_evosearch.sut.watching.services import ServiceWatch
from pytest_evosearch.sut.watching.side_effects import Witness


class Probes(Protocol):
    """The methods of `instrument.Recording` that an execution needs."""

    def begin(self, full: bool = False, focus: frozenset[TargetId] = frozenset()) -> None:
        """Begin a test; with `full`, record retired targets, too."""
        ...

    def end(self) -> Trace:
        """End the test and return what it touched."""
        ...

    def run(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call `function` in an empty context whose probes count."""
        ...

    def retire(self, targets: Iterable[TargetId]) -> None:
        """Stop recording `targets`, except in full tests."""
        ...

    def respecialize(self) -> None:
        """Remove the probes that stay silent for good from the application's code."""
        ...


class StateSource(Protocol):
    """The methods of `engine.preparing.state_restorer.StateRestorer` that an execution needs."""

    def __call__(self) -> None:
        """Restore the application's state from before the search."""
        ...

    def restored_places(self) -> Sequence[str]:
        """Restore what the application keeps in memory; return the names of what had changed."""
        ...


@dataclass(frozen=True)
class OtherServices:
    """What an execution does about services that the application calls."""

    missing: ServiceWatch | None = None
    """Notices services that cannot be reached."""
    answers: AnsweredServices | None = None
    """Answers for services; None where they are not answered here."""
    tables: AbsentTables | None = None
    """Sees which tables a database lacks; None where no statements are seen."""


@dataclass(frozen=True)
class Surroundings:
    """Everything that an execution needs from outside, wired by the engine."""

    handle: AppHandle
    endpoint: Callable[[str], Endpoint]
    """Returns the endpoint of a key, as it is known now."""
    probes: Probes
    reads: ReadRecorder | None
    restore: StateSource
    files: WrittenFiles
    garbage: GarbageCollector
    limit: TimeLimit
    sleep: ShortenedSleep
    source_name: SourceName
    process: ProtectedProcess
    threads: ThreadWatch
    current: CurrentCall
    offspring: Offspring
    send: Callable[..., RawResponse] = send
    """Sends a request: `sut.clients.client.send`, or a faster function with equal results."""
    witness: Witness | None = None
    """Sees effects that responses do not show; None when no oracle asks for it."""
    services: OtherServices = OtherServices()
    mails: Outbox | None = None
    """Sees the mails that are sent; None where the application sends none."""
    change_request: Callable[[Request, Endpoint, str | None], Request] | None = None
    """The project's own change of a request before it is sent as a user; raises `HookFailed`."""
    place_rows: Callable[[Sequence[PlacedRow]], tuple[PlacedRow, ...]] | None = None
    """Puts rows into tables, and returns them as they are there; () where that is refused."""
    validators: ValidatorWatch | None = None
    """Collects the schemas by which handlers validate."""
    resolvers: ResolverWatch | None = None
    """Sees what resolvers of GraphQL raise; None where nothing answers GraphQL."""
