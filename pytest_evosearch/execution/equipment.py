"""What an execution needs from outside: the application, and everything that watches it."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Mapping
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
from pytest_evosearch.sut.handle import AppHandle


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


class ReadSource(Protocol):
    """The methods of `sut.watching.observe.ReadRecorder` that an execution needs."""

    def begin(self, records: bool, layers: bool) -> None:
        """Forget what was recorded; record what the next call reads, where `records` says so."""
        ...

    def take(self) -> Sequence[Any]:
        """Return the reads since `begin`."""
        ...

    def is_routed_to(self, endpoint: str) -> bool:
        """Say whether the URL map sent the last request to `endpoint`."""
        ...


class ValidatorSource(Protocol):
    """The methods of `sut.documents.validators.catching.ValidatorWatch` that an execution needs."""

    def begin(self, endpoint: str) -> None:
        """Expect a request to an endpoint."""
        ...

    def take(self) -> Sequence[Any]:
        """Return what is known about the endpoint, with the attributes of `Validation`."""
        ...


class EvidenceSource(Protocol):
    """The methods of `sut.watching.side_effects.Witness` that an execution needs."""

    def begin(self) -> None:
        """Start to look."""
        ...

    def take(self) -> Any:
        """Stop, and return what was seen, with the attributes of `Evidence`."""
        ...

    def forget_tables(self) -> None:
        """Treat the present content of the tables as what the next call finds."""
        ...


class StateSource(Protocol):
    """The methods of `engine.preparing.state_restorer.StateRestorer` that an execution needs."""

    def __call__(self) -> None:
        """Restore the application's state from before the search."""
        ...

    def restored_places(self) -> Sequence[str]:
        """Restore what the application keeps in memory; return the names of what had changed."""
        ...


class FileSource(Protocol):
    """The methods of `sut.state.written_files.WrittenFiles` that an execution needs."""

    @property
    def refusals(self) -> Mapping[str, int]:
        """What the application was kept from -> how many times it has tried so far."""
        ...

    def harms(self) -> tuple[str, ...]:
        """Return what happened to the user's files since they were restored."""
        ...

    def created(self, original_of: Callable[[str], str]) -> tuple[str, ...]:
        """Return patterns of the files below the project that are new."""
        ...

    def restore(self) -> None:
        """Undo the noted changes."""
        ...

    def undo_for_the_dead(self) -> None:
        """Undo the changes of a forked child that died before it could undo them."""
        ...

    def begin(self) -> None:
        """Note changes to files from now on, to undo them."""
        ...

    def end(self) -> None:
        """Stop noting changes."""
        ...


class MailSource(Protocol):
    """The methods of `sut.watching.outbox.Outbox` that an execution needs."""

    def begin(self, endpoint: str) -> None:
        """Forget what was sent."""
        ...

    def take(self) -> Sequence[Any]:
        """Return what was sent since `begin`, with the attributes of `Mail`."""
        ...


class ResolverSource(Protocol):
    """The methods of `sut.watching.resolver_failures.ResolverWatch` that an execution needs."""

    def begin(self) -> None:
        """Expect a request."""
        ...

    def take(self) -> BaseException | None:
        """Return the exception that a resolver raised since `begin`, None for none."""
        ...


class ServiceSource(Protocol):
    """The methods of `sut.watching.services.ServiceWatch` that an execution needs."""

    def begin(self) -> None:
        """Forget which services the last call missed."""
        ...

    def take(self) -> Sequence[Any]:
        """Return the services that the call missed, with the attributes of `MissedService`."""
        ...


class AnswerSource(Protocol):
    """The methods of `sut.outgoing.answered_services.AnsweredServices` that executions need."""

    def begin_test(self) -> None:
        """Forget the connections of the last test."""
        ...

    def begin(
        self,
        answers: Mapping[str, Mapping[str, object]],
        sent: Callable[[], Collection[str]],
        records: bool,
    ) -> None:
        """Take the answers for the next call, and a function that returns the texts it sends."""
        ...

    def end_test(self) -> None:
        """Answer nothing more."""
        ...

    def take(self) -> Sequence[Any]:
        """Return what was asked since `begin`, with the attributes of `AskedCall`."""
        ...

    @property
    def looked_up(self) -> Collection[str]:
        """Names of hosts that were looked up since `begin`."""
        ...

    def reads(self) -> Sequence[Any]:
        """Return what was read of the answers, with the attributes of `Read`."""
        ...


@dataclass(frozen=True)
class OtherServices:
    """What an execution does about services that the application calls."""

    missing: ServiceSource | None = None
    """Notices services that cannot be reached."""
    answers: AnswerSource | None = None
    """Answers for services; None where they are not answered here."""


@dataclass(frozen=True)
class Surroundings:
    """Everything that an execution needs from outside, wired by the engine."""

    handle: AppHandle
    endpoint: Callable[[str], Endpoint]
    """Returns the endpoint of a key, as it is known now."""
    probes: Probes
    reads: ReadSource | None
    restore: StateSource
    files: FileSource
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
    witness: EvidenceSource | None = None
    """Sees effects that responses do not show; None when no oracle asks for it."""
    services: OtherServices = OtherServices()
    mails: MailSource | None = None
    """Sees the mails that are sent; None where the application sends none."""
    change_request: Callable[[Request, Endpoint, str | None], Request] | None = None
    """The project's own change of a request before it is sent as a user; raises `HookFailed`."""
    place_rows: Callable[[Sequence[PlacedRow]], tuple[PlacedRow, ...]] | None = None
    """Puts rows into tables, and returns them as they are there; () where that is refused."""
    validators: ValidatorSource | None = None
    """Collects the schemas by which handlers validate."""
    resolvers: ResolverSource | None = None
    """Sees what resolvers of GraphQL raise; None where nothing answers GraphQL."""
