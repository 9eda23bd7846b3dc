"""What an execution needs from outside: the application, and everything that watches it."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from typing import Protocol

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
    """What is needed of `instrument.recording.Recording`."""

    def begin(self, full: bool = False, focus: frozenset[TargetId] = frozenset()) -> None:
        """Begin a test; `full` also hears retired targets."""
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
        """Free the application's code of the probes that are silent for good."""
        ...


class ReadSource(Protocol):
    """What is needed of `sut.watching.observe.ReadRecorder`."""

    def begin(self) -> None:
        """Forget what was recorded."""
        ...

    def take(self) -> Sequence[Any]:
        """Return the reads since `begin`."""
        ...

    def matched(self) -> str | None:
        """Return the name of the endpoint that the last request was dispatched to."""
        ...


class ValidatorSource(Protocol):
    """What is needed of `sut.documents.validators.catching.ValidatorWatch`."""

    def begin(self, endpoint: str) -> None:
        """Expect a request to an endpoint."""
        ...

    def take(self) -> Sequence[Any]:
        """Return all that is known of the endpoint, with the attributes of `Validation`."""
        ...


class EvidenceSource(Protocol):
    """What is needed of `sut.watching.side_effects.Witness`."""

    def begin(self) -> None:
        """Start to look."""
        ...

    def take(self) -> Any:
        """Stop, and return what was seen, with the attributes of `Evidence`."""
        ...

    def forget_tables(self) -> None:
        """Take the present content for what the next call finds."""
        ...


class StateSource(Protocol):
    """What is needed of `engine.preparing.state_restorer.StateRestorer`."""

    def __call__(self) -> None:
        """Bring the application's state back to where it was before the search."""
        ...

    def restored_places(self) -> Sequence[str]:
        """Bring back what the application keeps in memory; name what had changed."""
        ...


class FileSource(Protocol):
    """What is needed of `sut.state.written_files.WrittenFiles`."""

    @property
    def refusals(self) -> Mapping[str, int]:
        """What the application was kept from, with how often it tried so far."""
        ...

    def harms(self) -> tuple[str, ...]:
        """Say what became of the user's files since they were restored."""
        ...

    def created(self, original_of: Callable[[str], str]) -> tuple[str, ...]:
        """Return patterns of the files below the project that were not there before."""
        ...

    def restore(self) -> None:
        """Undo what was noted."""
        ...

    def undo_for_the_dead(self) -> None:
        """Undo what a forked child has changed that died before it could."""
        ...

    def begin(self) -> None:
        """Note from now on what happens to files, to undo it."""
        ...

    def end(self) -> None:
        """Note nothing any more."""
        ...


class MailSource(Protocol):
    """What is needed of `sut.watching.outbox.Outbox`."""

    def begin(self) -> None:
        """Forget what was sent."""
        ...

    def take(self) -> Sequence[Any]:
        """Return what was sent since `begin`, with the attributes of `Mail`."""
        ...


class ResolverSource(Protocol):
    """What is needed of `sut.watching.resolver_failures.ResolverWatch`."""

    def begin(self) -> None:
        """Expect a request."""
        ...

    def take(self) -> BaseException | None:
        """Return what failed below a resolver since `begin`, None for nothing."""
        ...


class ServiceSource(Protocol):
    """What is needed of `sut.watching.services.ServiceWatch`."""

    def begin(self) -> None:
        """Forget what the last call missed."""
        ...

    def take(self) -> Sequence[Any]:
        """Return what the call missed, with the attributes of `MissedService`."""
        ...


@dataclass(frozen=True)
class Surroundings:
    """Everything that an execution needs from outside, wired by the engine."""

    handle: AppHandle
    endpoint: Callable[[str], Endpoint]
    """From an endpoint's key to the endpoint as it is known now."""
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
    """The way into the application: `sut.clients.client.send`, or a faster one that is equal to
    it."""
    witness: EvidenceSource | None = None
    """Sees what the answers do not show; None when no oracle asks for it."""
    services: ServiceSource | None = None
    """Notices services that are not there."""
    mails: MailSource | None = None
    """Sees the mails that are sent; None where the application sends none."""
    change_request: Callable[[Request, Endpoint, str | None], Request] | None = None
    """The project's own change of a request before it is sent as a user; raises `HookFailed`."""
    place_rows: Callable[[Sequence[PlacedRow]], tuple[PlacedRow, ...]] | None = None
    """Puts rows into tables, and returns them as they are there; () where that is refused."""
    validators: ValidatorSource | None = None
    """Catches the schemas by which handlers validate."""
    resolvers: ResolverSource | None = None
    """Sees what resolvers of GraphQL raise; None where nothing answers GraphQL."""
