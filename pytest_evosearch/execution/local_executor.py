"""Executes orders in this process, through the application's own test client.

    restore the state -> a fresh client for each user (logged in) -> for each call:
        build the request from earlier responses -> send it in an empty context, within
        the time limit, with probes and read recording on -> Exchange

Invariant: `perform` returns, whatever Python code of the application does (crash, exit, hang,
print).
"""

from __future__ import annotations

import inspect
import signal
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace
from traceback import clear_frames
from typing import Any
from typing import NamedTuple

from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.core.isolation import time
from pytest_evosearch.core.scores import COVERED
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.errors import HookFailed
from pytest_evosearch.errors import StopAtOnce
from pytest_evosearch.execution.conversation import Announcement
from pytest_evosearch.execution.conversation import Conversation
from pytest_evosearch.execution.conversation import Look
from pytest_evosearch.execution.conversation import Order
from pytest_evosearch.execution.conversation import say_nothing
from pytest_evosearch.execution.crash import describe_abort
from pytest_evosearch.execution.crash import describe_crash
from pytest_evosearch.execution.crash import is_our_doing
from pytest_evosearch.execution.equipment import Surroundings
from pytest_evosearch.execution.guard import TimeLimitExceeded
from pytest_evosearch.execution.hidden_failures import hidden_failures
from pytest_evosearch.execution.identities import IdentityWatch
from pytest_evosearch.execution.identities import application_modules
from pytest_evosearch.execution.repeating.elsewhere import Elsewhere
from pytest_evosearch.execution.repetitions import RandomnessWatch
from pytest_evosearch.execution.repetitions import when_threads_are_done
from pytest_evosearch.execution.transport import client_arguments
from pytest_evosearch.execution.transport import relieved
from pytest_evosearch.instrument.probing.trace import Trace
from pytest_evosearch.problem.http.exchanges.endpoint import operation_of
from pytest_evosearch.problem.http.exchanges.exchange import NO_EVIDENCE
from pytest_evosearch.problem.http.exchanges.exchange import Crash
from pytest_evosearch.problem.http.exchanges.exchange import Evidence
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import HiddenFailure
from pytest_evosearch.problem.http.exchanges.exchange import Mail
from pytest_evosearch.problem.http.exchanges.exchange import Missing
from pytest_evosearch.problem.http.exchanges.exchange import Read
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.exchange import Validation
from pytest_evosearch.problem.http.exchanges.graphql_answers import AS_ANSWERED
from pytest_evosearch.problem.http.exchanges.graphql_answers import Meaning
from pytest_evosearch.problem.http.exchanges.graphql_answers import meaning_of
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.request import build_request
from pytest_evosearch.sut.clients.client import BodyReader
from pytest_evosearch.sut.clients.client import RawResponse
from pytest_evosearch.sut.handle import User
from pytest_evosearch.sut.sandbox.process_ends import ProcessEnd
from pytest_evosearch.sut.state.context_variables import with_leftovers
from pytest_evosearch.sut.watching.failures import FIRST_SERVER_ERROR


@dataclass
class _Running:
    """The running state of one execution."""

    announce: Announcement
    said: Conversation = field(default_factory=Conversation)
    clients: dict[str | None, Any] = field(default_factory=dict)
    earlier: dict[int, tuple[int, Exchange]] = field(default_factory=dict)


class _Answer(NamedTuple):
    """The result of one call."""

    response: Response | None = None
    crash: Crash | None = None
    abort: Crash | None = None
    sent: bool = True
    our_doing: bool = False
    """Whether the failure comes from the search and not from the application."""


_NO_ANSWER = _Answer()


class LocalPerformer:
    """Sends an individual's calls and collects the results."""

    def __init__(self, surroundings: Surroundings) -> None:
        self._around = surroundings
        self._passing = (TimeLimitExceeded, exception_of_the_user())
        self._reader = BodyReader(
            when_live=surroundings.limit.shorten, when_first=surroundings.sleep.note
        )
        self._elsewhere = Elsewhere()
        self._names_server: dict[type, bool] = {}
        """Class of a client -> whether its cookies begin with the name of the server."""
        self._reached: set[TargetId] = set()
        """Targets that any test of the search has covered."""
        self._validations: dict[str, tuple[Sequence[Any], tuple[Validation, ...]]] = {}

    def retire(self, targets: Sequence[TargetId]) -> None:
        """Stop recording `targets`, except in full executions."""
        self._around.probes.retire(targets)

    def respecialize(self) -> None:
        """Remove the probes that stay silent for good from the application's code."""
        self._around.probes.respecialize()

    def perform(self, order: Order, announce: Announcement = say_nothing) -> Conversation:
        """Execute `order` from the restored state, and restore the files afterwards.

        Neither a forked process nor the user, after an interrupted run, may find changed files.
        """
        running = _Running(announce)
        self._around.limit.patient = order.patient
        self._around.offspring.begin_test(order.look in (Look.AGAIN, Look.FULL))
        try:
            if order.look is Look.AGAIN:
                self._repeat(order, running)
            elif order.look is Look.FULL:
                self._look_at_everything(order, running)
            else:
                self._search(order, running)
            if order.then is not None:
                running.said.remains.changed = tuple(self._around.restore.restored_places())
                following = _Running(say_nothing)
                self._repeat(Order(order.then, Look.AGAIN), following)
                running.said.remains.afterwards = following.said.exchanges
        finally:
            self._around.threads.effects.end()
            running.said.remains.threads = self._around.threads.work.known
            running.said.ended.update(self._around.offspring.end_test())
            running.said.complaints += self._unending_destructors()
            self._around.files.restore()
        return running.said

    def _unending_destructors(self) -> Iterator[str]:
        for file, line in self._around.limit.unending_destructors():
            place = f"{self._around.source_name(file) or file}:{line}"
            yield f"a destructor (__del__) does not end, and is cut off each time: {place}"

    def _search(self, order: Order, running: _Running) -> None:
        calls, said = order.individual.calls, running.said
        guided = calls[-1:] if order.look is Look.GUIDED else ()
        with self._around.process.protected():
            self._restore()
            self._around.threads.work.begin()
            # A guided test of one call needs no other mode: a change of mode touches every probe.
            if len(calls) > len(guided):
                self._listen(calls[: len(calls) - len(guided)], running)
            if guided and not (said.exchanges and said.exchanges[-1].frozen):
                trace = self._listen(guided, running, full=True)
                said.guidance = trace.comparisons
                said.reached = frozenset(t for t, score in trace.scores.items() if score >= COVERED)
                said.reach = len(said.reached)
            self._finish_work(said)
            self._around.process.is_familiar = self._is_familiar(said)

    def _is_familiar(self, said: Conversation) -> bool:
        """Say whether a test has reached only targets that others have reached."""
        covered = {target for target, score in said.scores.items() if score >= COVERED}
        is_known = covered <= self._reached
        self._reached |= covered
        return is_known

    def _listen(self, calls: Sequence[Call], running: _Running, full: bool = False) -> Trace:
        """Perform `calls`, note which targets they touch, and return the trace."""
        said = running.said
        self._around.probes.begin(full)
        for call in calls:
            if self._perform(call, running).frozen:
                break  # no test is made of it, and later calls may hang, too
        trace = self._around.probes.end()
        earlier = said.scores
        said.scores = merged_scores((earlier, trace.scores)) if earlier else dict(trace.scores)
        said.comparisons.extend(trace.comparisons)
        return trace

    def _look_at_everything(self, order: Order, running: _Running) -> None:
        around, said = self._around, running.said
        traces = []
        tried = self._held_back()
        around.threads.begin()
        with around.process.protected():
            self._restore()
            around.threads.work.begin()
            for call in order.individual.calls:
                around.probes.begin(True, order.focus)
                frozen = self._perform(call, running).frozen
                traces.append(around.probes.end())
                said.sightings.extend(traces[-1].sightings)
                if frozen:
                    break
            self._finish_work(said)
        said.scores = merged_scores(trace.scores for trace in traces)
        said.covered = [
            frozenset(target for target, score in trace.scores.items() if score >= COVERED)
            for trace in traces
        ]
        said.disturbances = self._disturbances([call.endpoint for call in order.individual.calls])
        said.remains.leaves_threads = self._around.threads.effects.is_waited_for
        harms = [one for one, times in self._held_back().items() if times != tried.get(one)]
        said.harms = (*harms, *around.files.harms())
        said.created = around.files.created(around.handle.original_of)

    def _disturbances(self, calls: Sequence[str]) -> tuple[str, ...]:
        """Return what the last execution, of `calls`, did to the process or will do later."""
        process = self._around.process
        threads = self._around.threads
        found = list(process.disturbances)
        changes = threads.effects.found(self._around.restore.restored_places)
        if not threads.effects.is_waited_for and threads.lingering():
            found.append("leaves a thread running that keeps the interpreter from ending")
        found += self._around.offspring.disturbances()
        found += changes
        late = [process.late[one] for one in calls if one in process.late]
        return (*found, *(f"starts a thread that {phrase}" for phrase in dict.fromkeys(late)))

    def _repeat(self, order: Order, running: _Running) -> None:
        with self._around.process.protected():
            with order.condition():
                # Restore once more: fixtures see the other clock, and restoring seeds the random
                # numbers.
                self._restore()
            # Once more: restoring has seeded the random numbers.
            with order.condition():
                watch, work = RandomnessWatch(), self._around.threads.work
                identities = IdentityWatch(order.interpreter)
                work.begin()
                elsewhere = self._elsewhere.seen(application_modules())
                waits = order.condition is when_threads_are_done
                held = nullcontext() if waits else work.held_up()
                as_it_is = self._around.process.taken_as_it_is()
                with watch.counting(), identities.answering(), elsewhere, held, as_it_is:
                    for call in order.individual.calls:
                        if self._perform(call, running).frozen:
                            break
                        if waits:
                            work.let_end()
                running.said.drew_random_numbers = watch.drew
                running.said.draws = watch.draws
                running.said.identities = identities.asked
                running.said.threads = work.threads
                self._finish_work(running.said)

    def _restore(self) -> None:
        with self._around.limit.between_calls():
            self._around.garbage.before_test()
            self._around.restore()
        if self._around.witness is not None:
            self._around.witness.forget_tables()

    def _perform(self, call: Call, running: _Running) -> Exchange:
        around, exchanges = self._around, running.said.exchanges
        account = self._account(call.user)
        request = build_request(call, around.endpoint(call.endpoint), running.earlier)
        if account is not None:
            request = relieved(request, account.held)
        if around.change_request is not None:
            request = self._changed(request, call, running.said)
        if request.rows:
            request = self._with_rows(request)
        running.announce(exchanges, request, call.user)
        around.current.begin(call.endpoint)
        client = self._client_of(call.user, running)
        exchange = self._send(client, request, call.user, running.said)
        around.offspring.look(call.endpoint)
        around.current.end()
        if exchange.status >= FIRST_REFUSAL or exchange.frozen:
            with around.limit.between_calls():
                around.garbage.after_refusal()
        running.earlier[call.label] = (len(exchanges), exchange)
        exchanges.append(exchange)
        return exchange

    def _with_rows(self, request: Request) -> Request:
        """Put a request's rows into their tables; return the request with the actual rows."""
        place = self._around.place_rows
        placed = None if place is None else self._within_limit(place, request.rows)
        return replace(request, rows=placed or ())

    def _finish_work(self, said: Conversation) -> None:
        """Finish work that the test has started; failures of it belong to the last call."""
        self._around.threads.work.finish()
        hidden = self._hidden(None, 0)
        if hidden and said.exchanges:
            last = said.exchanges[-1]
            said.exchanges[-1] = replace(last, hidden=(*last.hidden, *hidden))

    def _hidden(self, error: BaseException | None, status: int) -> tuple[HiddenFailure, ...]:
        """Return failures that no response shows, besides the `error` of a call with `status`."""
        failures = self._around.threads.failures.take()
        return tuple(hidden_failures(failures, error, status, self._around.source_name))

    def _changed(self, request: Request, call: Call, said: Conversation) -> Request:
        """Return `request` as the project's hook changes it; unchanged where the hook fails."""
        assert self._around.change_request is not None
        endpoint = self._around.endpoint(call.endpoint)
        try:
            return self._around.change_request(request, endpoint, call.user)
        except HookFailed as failure:
            said.complaints.append(str(failure))
            return request

    def _client_of(self, user: str | None, running: _Running) -> Any:
        if user not in running.clients:
            client = self._new_client()
            running.clients[user] = client
            account = self._account(user)
            if account is not None:
                for name, value in account.cookies.items():
                    self._set_cookie(client, name, value)
                if account.login is not None:
                    self._log_in(account.login, client)
        return running.clients[user]

    def _new_client(self) -> Any:
        """Return a client, even when an earlier call has replaced what makes clients."""
        make_client = self._around.handle.make_client
        try:
            return make_client()
        except Exception:
            self._around.process.restore()
            if not self._around.process.disturbances:
                raise
            return make_client()

    def _account(self, user: str | None) -> User | None:
        return self._around.handle.users.get(user) if user is not None else None

    def _log_in(self, login: Callable[[Any], object], client: Any) -> None:
        """Log `client` in; where the log-in fails, the caller stays anonymous."""
        try:
            self._within_limit(login, client)
        except self._passing:
            raise
        except BaseException:
            return

    def _within_limit(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call into the application; return None when the call was cut off."""
        around = self._around
        around.files.begin()
        try:
            with (
                around.sleep.counted(),
                around.limit.limited(),
                around.process.call,
                around.offspring.in_call(around.limit.alarm_seconds),
            ):
                return around.probes.run(function, *args, **kwargs)
        except TimeLimitExceeded:
            return None
        finally:
            around.files.end()

    def _answer_to(self, client: Any, arguments: dict[str, Any]) -> tuple[RawResponse | None, bool]:
        """Return the response, and whether the call leaves a context; None when it was cut off."""
        send, passing, reader = self._around.send, self._passing, self._reader
        try:
            answered = self._within_limit(
                with_leftovers, send, client, passing=passing, reader=reader, **arguments
            )
        # The application has left no memory; a signal came after the response.
        except (MemoryError, ProcessEnd) as error:
            answered = (RawResponse(error=error), False)
        except Exception as error:
            if not self._around.process.disturbances:
                raise
            # The call has replaced a function that our own code uses until it is restored.
            answered = (RawResponse(error=error, entered=False), False)
        raw, kept = answered or (None, False)
        if raw is not None and isinstance(raw.error, MemoryError):
            self._around.process.free_memory()
            self._within_limit(clear_frames, raw.error.__traceback__)
            self._around.garbage.after_refusal()
        return raw, kept

    def _send(
        self, client: Any, request: Request, user: str | None, said: Conversation
    ) -> Exchange:
        around = self._around
        account = self._account(user)
        headers = list(account.headers.items()) if account is not None else []
        query = list(account.query.items()) if account is not None else []
        harms = self._count_harms()
        if around.reads is not None:
            around.reads.begin()
        if around.validators is not None:
            around.validators.begin(request.endpoint)
        for name, value in request.cookies:
            self._set_cookie(client, name, value)
        if around.witness is not None:
            around.witness.begin()
        if around.mails is not None:
            around.mails.begin()
        if around.resolvers is not None:
            around.resolvers.begin()
        if around.services is not None:
            around.services.begin()
        ours, started = around.limit.own_seconds, time.thread_time()
        arguments = client_arguments(request, headers, query)
        raw, kept = self._answer_to(client, arguments)
        around.threads.work.settle()
        excess = around.offspring.excess
        seconds = time.thread_time() - started - (around.limit.own_seconds - ours)
        reads = _reads_of(around.reads.take()) if around.reads is not None else ()
        held_back = self._count_harms() != harms
        # Count before describing the crash: the description reads files that the application did
        # not.
        evidence = _evidence_of(around.witness.take()) if around.witness else NO_EVIDENCE
        missing = _missing_of(around.services.take()) if around.services is not None else ()
        is_cut = raw is not None and raw.truncated
        slept = around.sleep.noted if is_cut else around.sleep.slept
        error = self._error_of(raw)
        if raw is None or (error is None and raw.abort is None):
            answer = self._answer_of(raw, error)
        else:  # the text of an exception is code of the application, too
            found = self._within_limit(self._answer_of, raw, error)
            raw, answer = (raw, found) if found is not None else (None, _NO_ANSWER)
        failed = (raw.error or raw.abort) if raw is not None else None
        hidden = self._hidden(failed, answer.response.status if answer.response else 0)
        meaning = self._meaning_of(request, answer)
        said.remains.keeps_context |= kept
        return Exchange(
            request,
            answer.response,
            user,
            crash=answer.crash,
            abort=answer.abort,
            frozen=bool(excess) or _does_not_end(raw, answer),
            excess=excess,
            late=raw is not None and raw.late,
            reads=reads,
            validations=self._take_validations(request.endpoint),
            sent=answer.sent,
            routed=meaning.executed and self._is_routed(request),
            held_back=held_back or answer.our_doing,
            slept=slept,
            seconds=seconds,
            evidence=evidence,
            mails=_mails_of(around.mails.take()) if around.mails is not None else (),
            missing=missing,
            hidden=() if held_back or answer.our_doing else hidden,
            meaning=meaning.status,
        )

    def _set_cookie(self, client: Any, name: str, value: str) -> None:
        """Give `client` a cookie; Werkzeug before 2.3 wants the server's name first."""
        kind = type(client)
        named = self._names_server.get(kind)
        if named is None:  # inspecting takes longer than setting many cookies
            first = next(iter(inspect.signature(client.set_cookie).parameters), "")
            named = self._names_server[kind] = first == "server_name"
        client.set_cookie(*(("localhost",) if named else ()), name, value)

    def _take_validations(self, endpoint: str) -> tuple[Validation, ...]:
        """Return the endpoint's validations; convert them again only when there are new ones."""
        if self._around.validators is None:
            return ()
        taken = self._around.validators.take()
        known = self._validations.get(endpoint)
        if known is None or known[0] is not taken:
            known = (taken, tuple(Validation(one.location, one.path, one.schema) for one in taken))
            self._validations[endpoint] = known
        return known[1]

    def _count_harms(self) -> int:
        """Count the harm that was prevented so far."""
        around = self._around  # summed separately: this is done twice for each call
        spared = {**around.process.refusals, **around.threads.refusals}
        harms = sum(around.handle.harms().values()) + sum(around.files.refusals.values())
        return harms + sum(spared.values()) if spared else harms

    def _held_back(self) -> dict[str, int]:
        """Return all prevented harm so far -> how many times each."""
        around = self._around
        refused = {**around.files.refusals, **around.process.refusals, **around.threads.refusals}
        return {**around.handle.harms(), **refused}

    def _is_routed(self, request: Request) -> bool:
        """Say whether the URL map sent the request to its own endpoint."""
        reads = self._around.reads
        if reads is None:
            return True
        return reads.matched() == self._around.endpoint(request.endpoint).name

    def _error_of(self, raw: RawResponse | None) -> BaseException | None:
        """Return the failure, perhaps one below a resolver that turned it into a response."""
        if raw is None:
            return None
        if raw.error is None and self._around.resolvers is not None:
            return self._around.resolvers.take()
        return raw.error

    def _answer_of(self, raw: RawResponse | None, error: BaseException | None) -> _Answer:
        if raw is None:
            return _NO_ANSWER
        response = None
        if raw.status:
            response = Response(raw.status, tuple(raw.headers), raw.body, raw.truncated, raw.live)
        source_name = self._around.source_name
        if error is None or not raw.entered:
            abort = describe_abort(raw.abort, source_name) if raw.abort is not None else None
            return _Answer(response, abort=abort, sent=raw.entered)
        crash = describe_crash(error, source_name)
        return _Answer(response, crash, our_doing=is_our_doing(error, source_name))

    def _meaning_of(self, request: Request, answer: _Answer) -> Meaning:
        """Return the meaning of a GraphQL response; any other response says it by its status."""
        operation = operation_of(request.template)
        if not operation:
            return AS_ANSWERED
        meaning = meaning_of(answer.response, operation)
        if answer.crash is not None and meaning.status:
            return meaning._replace(status=FIRST_SERVER_ERROR)
        return meaning


def _does_not_end(raw: RawResponse | None, answer: _Answer) -> bool:
    """Say whether a test would wait too long: Werkzeug's client waits for the first piece."""
    if raw is None or (raw.live and not raw.body):
        return True
    return answer.crash is not None and answer.crash.exhausts_memory


def _reads_of(recorded: Sequence[Any]) -> tuple[Read, ...]:
    return tuple(
        Read(read.location, read.path, read.present, read.type_name, read.default)
        for read in recorded
    )


def _evidence_of(seen: Any) -> Evidence:
    if not (seen.statements or seen.opened or seen.contacted):
        return NO_EVIDENCE  # the most common case by far
    return Evidence(seen.statements, seen.opened, seen.contacted, seen.changed)


def _missing_of(missed: Sequence[Any]) -> tuple[Missing, ...]:
    return tuple(Missing(one.name, one.host, one.reason, one.packages) for one in missed)


def _mails_of(sent: Sequence[Any]) -> tuple[Mail, ...]:
    return tuple(Mail(mail.body, mail.html, mail.by_thread) for mail in sent)


def exception_of_the_user() -> type[BaseException]:
    """Return the exception class of Ctrl-C; any other `KeyboardInterrupt` is the application's.

    With Python's own handler of SIGINT, the two cannot be told apart.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        return KeyboardInterrupt
    return StopAtOnce


def merged_scores(parts: Iterable[Mapping[TargetId, float]]) -> dict[TargetId, float]:
    """Return the best score of each target over `parts`."""
    merged: dict[TargetId, float] = {}
    for part in parts:
        for target, score in part.items():
            merged[target] = max(score, merged.get(target, 0.0))
    return merged
