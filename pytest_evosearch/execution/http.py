"""Executes individuals against the application through its own test client.

One evaluation:

    restore the state -> a fresh client for each user (logged in) -> for each call:
        build the request from earlier responses -> send it in an empty context, within
        the time limit, with probes and read recording on -> Exchange
    -> oracles judge -> scores of probes, statuses and faults in one mapping

Invariant: whatever the application does (crash, exit, hang, print), `evaluate` returns.
"""

from __future__ import annotations

import inspect
import signal
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace
from typing import Any
from typing import Protocol

from pytest_evosearch.core.isolation import time
from pytest_evosearch.core.scores import COVERED
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.errors import StopAtOnce
from pytest_evosearch.execution.answers import AnswerTargets
from pytest_evosearch.execution.base import FullEvaluation
from pytest_evosearch.execution.conditions import RandomnessWatch
from pytest_evosearch.execution.crash import SourceName
from pytest_evosearch.execution.crash import describe_crash
from pytest_evosearch.execution.crash import refuses_recording
from pytest_evosearch.execution.garbage import GarbageCollector
from pytest_evosearch.execution.guard import TimeLimit
from pytest_evosearch.execution.guard import TimeLimitExceeded
from pytest_evosearch.execution.process import ProtectedProcess
from pytest_evosearch.execution.sleep import ShortenedSleep
from pytest_evosearch.execution.threads import ThreadWatch
from pytest_evosearch.execution.transport import client_arguments
from pytest_evosearch.instrument.trace import Comparison
from pytest_evosearch.instrument.trace import Sighting
from pytest_evosearch.instrument.trace import Trace
from pytest_evosearch.oracles.base import AnyOracle
from pytest_evosearch.oracles.base import judged
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.http.endpoint import Endpoint
from pytest_evosearch.problem.http.exchange import NO_EVIDENCE
from pytest_evosearch.problem.http.exchange import Evidence
from pytest_evosearch.problem.http.exchange import Exchange
from pytest_evosearch.problem.http.exchange import Fault
from pytest_evosearch.problem.http.exchange import Observation
from pytest_evosearch.problem.http.exchange import Read
from pytest_evosearch.problem.http.exchange import Request
from pytest_evosearch.problem.http.exchange import Response
from pytest_evosearch.problem.http.exchange import Validation
from pytest_evosearch.problem.http.individual import Call
from pytest_evosearch.problem.http.individual import Individual
from pytest_evosearch.problem.http.request import build_request
from pytest_evosearch.problem.http.size import size_of
from pytest_evosearch.sut.client import RawResponse
from pytest_evosearch.sut.client import send
from pytest_evosearch.sut.handle import AppHandle

LONGEST_SLEEP = 1.0
"""Seconds that the handlers may sleep in one written test."""

FIRST_REFUSAL = 400
"""Statuses from here on are usually raised as exceptions."""


class Probes(Protocol):
    """What is needed of `instrument.Recording`."""

    def begin(self, full: bool = False, focus: frozenset[TargetId] = frozenset()) -> None:
        """Begin a test; `full` also hears retired targets."""
        ...

    def end(self) -> Trace:
        """End the test and return what it touched."""
        ...

    def run(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call `function` in an empty context whose probes count."""
        ...


class ReadSource(Protocol):
    """What is needed of `sut.observe.ReadRecorder`."""

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
    """What is needed of `sut.validators.catching.ValidatorWatch`."""

    def begin(self, endpoint: str) -> None:
        """Expect a request to an endpoint."""
        ...

    def take(self) -> Sequence[Any]:
        """Return all that is known of the endpoint, with the attributes of `Validation`."""
        ...


class EvidenceSource(Protocol):
    """What is needed of `sut.witness.Witness`."""

    def begin(self) -> None:
        """Start to look."""
        ...

    def take(self) -> Any:
        """Stop, and return what was seen, with the attributes of `Evidence`."""
        ...

    def forget_tables(self) -> None:
        """Take the present content for what the next call finds."""
        ...


@dataclass(frozen=True)
class Surroundings:
    """Everything that an executor needs from outside, wired by the engine."""

    handle: AppHandle
    endpoint: Callable[[str], Endpoint]
    """From an endpoint's key to the endpoint as it is known now."""
    probes: Probes
    reads: ReadSource | None
    restore: Callable[[], None]
    """Bring the application's state back to where it was before the search."""
    oracles: Sequence[AnyOracle]
    garbage: GarbageCollector
    limit: TimeLimit
    sleep: ShortenedSleep
    source_name: SourceName
    process: ProtectedProcess
    threads: ThreadWatch
    send: Callable[..., RawResponse] = send
    """The way into the application: `sut.client.send`, or a faster one that is equal to it."""
    witness: EvidenceSource | None = None
    """Sees what the answers do not show; None when no oracle asks for it."""
    validators: ValidatorSource | None = None
    """Catches the schemas by which handlers validate."""


@dataclass
class _Conversation:
    """The running state of one evaluation."""

    clients: dict[str | None, Any] = field(default_factory=dict)
    exchanges: list[Exchange] = field(default_factory=list)
    earlier: dict[int, tuple[int, Exchange]] = field(default_factory=dict)
    comparisons: list[Comparison] = field(default_factory=list)
    sightings: list[Sighting] = field(default_factory=list)
    guidance: Sequence[Comparison] = ()
    reach: int = 0


class HttpExecutor:
    """Sends an individual's calls and collects what they reveal."""

    def __init__(self, surroundings: Surroundings) -> None:
        self._around = surroundings
        self._answers = AnswerTargets()
        self._passing = (TimeLimitExceeded, exception_of_the_user())
        self._validations: dict[str, tuple[Sequence[Any], tuple[Validation, ...]]] = {}
        self.requests = 0
        """Requests sent so far."""
        self.drew_random_numbers = False
        """Whether the last `repeat` drew from the global random numbers."""

    def evaluate(
        self,
        individual: Individual,
        guided: bool = False,
    ) -> Evaluation[Individual]:
        """Execute for the search; targets that the archive retired may be missing.

        With `guided` the observation also holds what the last call compared on the way to
        targets that are retired.
        """
        around, conversation = self._around, _Conversation()
        calls = individual.calls
        with around.process.protected():
            self._restore()
            around.probes.begin(False)
            for call in calls[:-1] if guided else calls:
                self._perform(call, conversation)
            trace = around.probes.end()
            scores = dict(trace.scores)
            conversation.comparisons.extend(trace.comparisons)
            if guided:
                around.probes.begin(True)
                self._perform(calls[-1], conversation)
                trace = around.probes.end()
                scores = merged_scores((scores, trace.scores))
                conversation.comparisons.extend(trace.comparisons)
                conversation.guidance = trace.comparisons
                conversation.reach = sum(score >= COVERED for score in trace.scores.values())
        return self._evaluation(individual, conversation, scores)

    def evaluate_fully(
        self, individual: Individual, focus: frozenset[TargetId] = frozenset()
    ) -> FullEvaluation[Individual]:
        """Execute with every probe armed, call by call.

        The observation also holds what the conditions of the targets in `focus` saw.
        """
        around, conversation = self._around, _Conversation()
        traces = []
        tried = dict(around.handle.harms())
        around.threads.begin()
        with around.process.protected():
            self._restore()
            for call in individual.calls:
                around.probes.begin(True, focus)
                self._perform(call, conversation)
                traces.append(around.probes.end())
                conversation.sightings.extend(traces[-1].sightings)
        merged = merged_scores(trace.scores for trace in traces)
        evaluation = self._evaluation(individual, conversation, merged)
        covered = self._covered_by_call(evaluation, traces)
        harms = [
            attempt
            for attempt, times in around.handle.harms().items()
            if times != tried.get(attempt)
        ]
        return FullEvaluation(evaluation, covered, self._disturbances(), tuple(harms))

    def _disturbances(self) -> tuple[str, ...]:
        """Return what the last evaluation did to the process."""
        found = list(self._around.process.disturbances)
        if self._around.threads.lingering():
            found.append("leaves a thread running that keeps the interpreter from ending")
        return tuple(found)

    def repeat(
        self,
        individual: Individual,
        condition: Callable[[], AbstractContextManager[None]],
    ) -> tuple[Exchange, ...]:
        """Execute once more from the restored state under `condition`; only exchanges count."""
        around, conversation = self._around, _Conversation()
        with around.process.protected(), condition():
            self._restore()
            watch = RandomnessWatch()
            for call in individual.calls:
                self._perform(call, conversation)
            self.drew_random_numbers = watch.drew
        return tuple(conversation.exchanges)

    def _restore(self) -> None:
        self._around.garbage.before_test()
        self._around.restore()
        if self._around.witness is not None:
            self._around.witness.forget_tables()

    def _perform(self, call: Call, conversation: _Conversation) -> None:
        around = self._around
        client = self._client_of(call.user, conversation)
        request = build_request(call, around.endpoint(call.endpoint), conversation.earlier)
        headers = self._headers_of(call.user)
        exchange = self._send(client, request, headers, call.user)
        if exchange.status >= FIRST_REFUSAL or exchange.frozen:
            around.garbage.after_refusal()
        conversation.earlier[call.label] = (len(conversation.exchanges), exchange)
        conversation.exchanges.append(exchange)

    def _client_of(self, user: str | None, conversation: _Conversation) -> Any:
        if user not in conversation.clients:
            client = self._around.handle.make_client()
            conversation.clients[user] = client
            account = self._around.handle.users.get(user) if user is not None else None
            if account is not None and account.login is not None:
                self._log_in(account.login, client)
        return conversation.clients[user]

    def _headers_of(self, user: str | None) -> list[tuple[str, str]]:
        account = self._around.handle.users.get(user) if user is not None else None
        return list(account.headers.items()) if account is not None else []

    def _log_in(self, login: Callable[[Any], object], client: Any) -> None:
        """Log `client` in; where the application fails at it, the caller stays anonymous."""
        try:
            self._within_limit(login, client)
        except self._passing:
            raise
        except BaseException:
            return

    def _within_limit(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call into the application; None when it had to be cut off."""
        try:
            with self._around.sleep.counted(), self._around.limit.limited():
                return self._around.probes.run(function, *args, **kwargs)
        except TimeLimitExceeded:
            return None

    def _send(
        self, client: Any, request: Request, headers: list[tuple[str, str]], user: str | None
    ) -> Exchange:
        around = self._around
        self.requests += 1
        harms = self._count_harms()
        if around.reads is not None:
            around.reads.begin()
        if around.validators is not None:
            around.validators.begin(request.endpoint)
        for name, value in request.cookies:
            set_cookie(client, name, value)
        if around.witness is not None:
            around.witness.begin()
        started = time.thread_time()
        raw = self._within_limit(
            around.send, client, passing=self._passing, **client_arguments(request, headers)
        )
        exchange = Exchange(
            request,
            None,
            user,
            reads=_reads_of(around.reads.take()) if around.reads is not None else (),
            validations=self._take_validations(request.endpoint),
            routed=self._is_routed(request),
            held_back=self._count_harms() != harms,
            slept=around.sleep.slept,
            seconds=time.thread_time() - started,
            evidence=_evidence_of(around.witness.take()) if around.witness else NO_EVIDENCE,
        )
        return replace(exchange, frozen=True) if raw is None else self._answered(exchange, raw)

    def _take_validations(self, endpoint: str) -> tuple[Validation, ...]:
        """Return what is demanded at the endpoint; converted once, while there is no news."""
        if self._around.validators is None:
            return ()
        taken = self._around.validators.take()
        known = self._validations.get(endpoint)
        if known is None or known[0] is not taken:
            known = (taken, tuple(Validation(one.location, one.path, one.schema) for one in taken))
            self._validations[endpoint] = known
        return known[1]

    def _count_harms(self) -> int:
        """Count what the sandbox held back so far."""
        return sum(self._around.handle.harms().values())

    def _is_routed(self, request: Request) -> bool:
        """Say whether the URL map sent the request to the endpoint that it was made for."""
        reads = self._around.reads
        if reads is None:
            return True
        return reads.matched() == self._around.endpoint(request.endpoint).name

    def _answered(self, exchange: Exchange, raw: RawResponse) -> Exchange:
        crash = None
        held_back = exchange.held_back
        if raw.error is not None and raw.entered:
            crash = describe_crash(raw.error, self._around.source_name)
            held_back = held_back or refuses_recording(raw.error, self._around.source_name)
        response = None
        if raw.status:
            response = Response(raw.status, tuple(raw.headers), raw.body, raw.truncated)
        return replace(
            exchange, response=response, crash=crash, sent=raw.entered, held_back=held_back
        )

    def _evaluation(
        self,
        individual: Individual,
        conversation: _Conversation,
        scores: dict[TargetId, float],
    ) -> Evaluation[Individual]:
        exchanges = tuple(conversation.exchanges)
        faults = tuple(self._judge(exchanges))
        if takes_too_long(exchanges):
            scores.clear()
        else:
            for exchange in exchanges:
                for target in self._answers.of(exchange):
                    scores[target] = COVERED
        for fault in faults:
            scores[fault.target] = COVERED
        observation = Observation(
            individual,
            exchanges,
            conversation.comparisons,
            faults,
            conversation.guidance,
            conversation.reach,
            conversation.sightings,
        )
        return Evaluation(individual, scores, size_of(individual), observation)

    def _covered_by_call(
        self, evaluation: Evaluation[Individual], traces: Sequence[Trace]
    ) -> tuple[frozenset[TargetId], ...]:
        observation = evaluation.observation
        assert isinstance(observation, Observation)
        covered: list[set[TargetId]] = []
        for trace, exchange in zip(traces, observation.exchanges, strict=True):
            targets = {target for target, score in trace.scores.items() if score >= COVERED}
            covered.append(set() if exchange.frozen else targets)
            covered[-1].update(self._answers.of(exchange))
        for fault in observation.faults:
            covered[fault.call].add(fault.target)
        return tuple(frozenset(targets) for targets in covered)

    def _judge(self, exchanges: Sequence[Exchange]) -> Iterable[Fault]:
        return judged(self._around.oracles, exchanges)


def _reads_of(recorded: Sequence[Any]) -> tuple[Read, ...]:
    return tuple(
        Read(read.location, read.path, read.present, read.type_name, read.default)
        for read in recorded
    )


def _evidence_of(seen: Any) -> Evidence:
    if not (seen.statements or seen.opened or seen.contacted):
        return NO_EVIDENCE  # the most common case by far
    return Evidence(seen.statements, seen.opened, seen.contacted, seen.changed)


def takes_too_long(exchanges: Sequence[Exchange]) -> bool:
    """Say whether these calls cannot become a test because of the time that they take.

    They count for nothing but faults: what they cover would be taken for done, and no test
    would be written for it.
    """
    asleep = sum(exchange.slept for exchange in exchanges)
    return asleep > LONGEST_SLEEP or any(exchange.frozen for exchange in exchanges)


def exception_of_the_user() -> type[BaseException]:
    """Return what Ctrl-C raises; any other `KeyboardInterrupt` is the application's own.

    Python's own handler of SIGINT leaves no difference.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        return KeyboardInterrupt
    return StopAtOnce


def set_cookie(client: Any, name: str, value: str) -> None:
    """Give `client` a cookie; Werkzeug before 2.3 wants the server's name first."""
    first = next(iter(inspect.signature(client.set_cookie).parameters), "")
    if first == "server_name":
        client.set_cookie("localhost", name, value)
    else:
        client.set_cookie(name, value)


def merged_scores(parts: Iterable[Mapping[TargetId, float]]) -> dict[TargetId, float]:
    """Return the best score of each target over `parts`."""
    merged: dict[TargetId, float] = {}
    for part in parts:
        for target, score in part.items():
            merged[target] = max(score, merged.get(target, 0.0))
    return merged
