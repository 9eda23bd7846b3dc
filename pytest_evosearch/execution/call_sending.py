"""Sends the calls of a test one after another, and records what each of them shows."""

from __future__ import annotations

import signal
from collections.abc import Callable
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from traceback import clear_frames
from typing import Any
from typing import NamedTuple
from typing import Protocol

from pytest_evosearch.core.failing.fence import Fence
from pytest_evosearch.core.isolation import time
from pytest_evosearch.errors import StopAtOnce
from pytest_evosearch.execution.conversation import Conversation
from pytest_evosearch.execution.crash import describe_abort
from pytest_evosearch.execution.crash import describe_crash
from pytest_evosearch.execution.crash import is_our_doing
from pytest_evosearch.execution.equipment import Surroundings
from pytest_evosearch.execution.guard import TimeLimitExceeded
from pytest_evosearch.execution.hidden_failures import hidden_failures
from pytest_evosearch.execution.transport import client_arguments
from pytest_evosearch.problem.http.exchanges.endpoint import operation_of
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.graphql_answers import AS_ANSWERED
from pytest_evosearch.problem.http.exchanges.graphql_answers import Meaning
from pytest_evosearch.problem.http.exchanges.graphql_answers import meaning_of
from pytest_evosearch.problem.http.exchanges.outgoing_calls import host_of
from pytest_evosearch.problem.http.exchanges.outgoing_calls import outgoing_of
from pytest_evosearch.problem.http.exchanges.outgoing_calls import texts_of
from pytest_evosearch.problem.http.exchanges.seen_inside import NO_EVIDENCE
from pytest_evosearch.problem.http.exchanges.seen_inside import Crash
from pytest_evosearch.problem.http.exchanges.seen_inside import Evidence
from pytest_evosearch.problem.http.exchanges.seen_inside import HiddenFailure
from pytest_evosearch.problem.http.exchanges.seen_inside import Mail
from pytest_evosearch.problem.http.exchanges.seen_inside import Missing
from pytest_evosearch.problem.http.exchanges.seen_inside import Outgoing
from pytest_evosearch.problem.http.exchanges.seen_inside import Read
from pytest_evosearch.problem.http.exchanges.seen_inside import Validation
from pytest_evosearch.sut.clients.client import BodyReader
from pytest_evosearch.sut.clients.client import RawResponse
from pytest_evosearch.sut.clients.cookie_call import names_server_first
from pytest_evosearch.sut.clients.cookie_call import server_argument
from pytest_evosearch.sut.handle import User
from pytest_evosearch.sut.sandbox.process_ends import ProcessEnd
from pytest_evosearch.sut.state.context_variables import with_leftovers
from pytest_evosearch.sut.watching.failures import FIRST_SERVER_ERROR

READS = "the record of what handlers read"
VALIDATORS = "what validators say"
MAILS = "the watch over mails"
EFFECTS = "the watch over statements, files and hosts"
RESOLVERS = "the watch over GraphQL resolvers"
SERVICES = "the watch over missing services"
TABLES = "the watch over missing tables"
"""Parts of a run that watch a call."""


class _Watch(Protocol):
    """Sees something of a call."""

    def take(self) -> Any:
        """Return what was seen."""
        ...


class _Answer(NamedTuple):
    """The result of one call."""

    response: Response | None = None
    crash: Crash | None = None
    abort: Crash | None = None
    sent: bool = True
    our_doing: bool = False
    """Whether the failure comes from the search and not from the application."""


_NO_ANSWER = _Answer()


class CallSender:
    """Sends the requests of a test, with clients of its users, within the limits of a call."""

    def __init__(self, surroundings: Surroundings, fence: Fence) -> None:
        self._around = surroundings
        self._fence = fence
        self._passing = (TimeLimitExceeded, exception_of_the_user())
        self._reader = BodyReader(
            when_live=surroundings.limit.shorten, when_first=surroundings.sleep.note
        )
        self._before_cookie = server_argument(names_server_first())
        self._validations: dict[str, tuple[Sequence[Any], tuple[Validation, ...]]] = {}

    def hidden(self, error: BaseException | None, status: int) -> tuple[HiddenFailure, ...]:
        """Return failures that no response shows, besides the `error` of a call with `status`."""
        failures = self._around.threads.failures.take()
        if not failures:
            return ()
        return tuple(hidden_failures(failures, error, status, self._around.source_name))

    def client_of(self, user: str | None, clients: dict[str | None, Any]) -> Any:
        """Return the client of a user, one for each test: `clients` has those that are made."""
        if user not in clients:
            client = self._new_client()
            clients[user] = client
            account = self.account_of(user)
            if account is not None:
                for name, value in account.cookies.items():
                    client.set_cookie(*self._before_cookie, name, value)
                if account.login is not None:
                    self._log_in(account.login, client)
        return clients[user]

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

    def account_of(self, user: str | None) -> User | None:
        """Return the account of a user; None for an anonymous or unknown caller."""
        return self._around.handle.users.get(user) if user is not None else None

    def _log_in(self, login: Callable[[Any], object], client: Any) -> None:
        """Log `client` in; where the log-in fails, the caller stays anonymous."""
        try:
            self.within_limit(login, client)
        except self._passing:
            raise
        except BaseException:
            return

    def within_limit(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
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
            answered = self.within_limit(
                with_leftovers, send, client, passing=passing, reader=reader, **arguments
            )
        # A signal came after the response: nothing of the application has to be cleaned up.
        except (MemoryError, ProcessEnd) as error:
            answered = (RawResponse(error=error), False)
        except Exception as error:
            if not self._around.process.disturbances:
                raise
            # The call has replaced functions that this plugin uses, too, until they are put back.
            answered = (RawResponse(error=error, entered=False), False)
        raw, kept = answered or (None, False)
        if raw is not None and isinstance(raw.error, MemoryError):
            self._around.process.free_memory()
            self.within_limit(clear_frames, raw.error.__traceback__)
            self._around.garbage.after_refusal()
        return raw, kept

    def send(
        self,
        client: Any,
        request: Request,
        user: str | None,
        said: Conversation,
        records: bool,
        layers: bool,
    ) -> Exchange:
        """Send a request with the client of `user`, and return the exchange.

        With `records`, the handler gets objects that record what it reads; with `layers`, layers in
        front of the application do, too.
        """
        around = self._around
        account = self.account_of(user)
        headers = list(account.headers.items()) if account is not None else []
        query = list(account.query.items()) if account is not None else []
        harms = self._count_harms()
        for name, value in request.cookies:
            client.set_cookie(*self._before_cookie, name, value)
        if around.reads is not None:
            self._fence.run(READS, around.reads.begin, records, layers, otherwise=None)
        self._begin_watching(request.endpoint)
        if around.services.answers is not None:
            around.services.answers.begin(request.answers, partial(texts_of, request), records)
        ours, started = around.limit.own_seconds, time.thread_time()
        arguments = client_arguments(request, headers, query)
        raw, kept = self._answer_to(client, arguments)
        around.threads.work.settle()
        excess = around.offspring.excess
        seconds = time.thread_time() - started - (around.limit.own_seconds - ours)
        reads = _reads_of(self._taken(READS, around.reads))
        outgoing: tuple[Outgoing, ...] = ()
        if around.services.answers is not None:
            outgoing = outgoing_of(around.services.answers.take())
            reads = (*reads, *_reads_of(around.services.answers.reads())) if outgoing else reads
        held_back = self._count_harms() != harms
        # Before the crash is described: that reads files, which the application did not.
        evidence = _evidence_of(self._taken(EFFECTS, around.witness))
        evidence = self._with_services(evidence, outgoing)
        missing = _missing_of(self._taken(SERVICES, around.services.missing))
        is_cut = raw is not None and raw.truncated
        slept = around.sleep.noted if is_cut else around.sleep.slept
        error = self._error_of(raw)
        if raw is None or (error is None and raw.abort is None):
            answer = self._answer_of(raw, error)
        else:  # what an exception says is code of the application, too
            found = self.within_limit(self._answer_of, raw, error)
            raw, answer = (raw, found) if found is not None else (None, _NO_ANSWER)
        failed = (raw.error or raw.abort) if raw is not None else None
        hidden = self.hidden(failed, answer.response.status if answer.response else 0)
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
            mails=_mails_of(self._taken(MAILS, around.mails)),
            missing=missing,
            hidden=() if held_back or answer.our_doing else hidden,
            meaning=meaning.status,
        )

    def _with_services(self, evidence: Evidence, outgoing: tuple[Outgoing, ...]) -> Evidence:
        """Add calls to services, and their hosts, also hosts that were only looked up; and tables.

        These are tables that a database lacks.
        """
        if absent := self._taken(TABLES, self._around.services.tables):
            evidence = replace(evidence, absent=absent)
        answers = self._around.services.answers
        if answers is None or not (outgoing or answers.looked_up):
            return evidence
        hosts = (*evidence.contacted, *answers.looked_up, *map(host_of, outgoing))
        return replace(evidence, outgoing=outgoing, contacted=tuple(dict.fromkeys(hosts)))

    def _begin_watching(self, endpoint: str) -> None:
        """Let what watches the call forget the last one."""
        around, run = self._around, self._fence.run
        if around.validators is not None:
            run(VALIDATORS, around.validators.begin, endpoint, otherwise=None)
        if around.mails is not None:
            run(MAILS, around.mails.begin, endpoint, otherwise=None)
        if around.witness is not None:
            run(EFFECTS, around.witness.begin, otherwise=None)
        if around.resolvers is not None:
            run(RESOLVERS, around.resolvers.begin, otherwise=None)
        if around.services.tables is not None:
            run(TABLES, around.services.tables.begin, otherwise=None)
        if around.services.missing is not None:
            run(SERVICES, around.services.missing.begin, otherwise=None)

    def _taken(self, part: str, watch: _Watch | None) -> Any:
        """Return what a watcher has seen in the call, () for nothing."""
        return () if watch is None else self._fence.run(part, watch.take, otherwise=())

    def _take_validations(self, endpoint: str) -> tuple[Validation, ...]:
        """Return the endpoint's validations; convert them again only when there are new ones."""
        if self._around.validators is None:
            return ()
        taken = self._taken(VALIDATORS, self._around.validators)
        known = self._validations.get(endpoint)
        if known is None or known[0] is not taken:
            known = (taken, tuple(Validation(one.location, one.path, one.schema) for one in taken))
            self._validations[endpoint] = known
        return known[1]

    def _count_harms(self) -> int:
        """Count the harm that was prevented so far."""
        around, harms = self._around, 0
        for prevented in (
            around.handle.harms(),
            around.files.refusals,
            around.process.refusals,
            around.threads.refusals,
        ):
            if prevented:  # seldom, and this is done twice for each call
                harms += sum(prevented.values())
        return harms

    def _is_routed(self, request: Request) -> bool:
        """Say whether the URL map sent the request to its own endpoint."""
        reads = self._around.reads
        if reads is None:
            return True
        return reads.is_routed_to(self._around.endpoint(request.endpoint).name)

    def _error_of(self, raw: RawResponse | None) -> BaseException | None:
        """Return the failure, perhaps one below a resolver that turned it into a response."""
        if raw is None:
            return None
        if raw.error is None and self._around.resolvers is not None:
            return self._fence.run(RESOLVERS, self._around.resolvers.take, otherwise=None)
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
        return _Answer(response, crash, our_doing=is_our_doing(error))

    def _meaning_of(self, request: Request, answer: _Answer) -> Meaning:
        """Return the meaning of a GraphQL response, or the status of any other response."""
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
    if not recorded:
        return ()
    return tuple(
        Read(read.location, read.path, read.present, read.type_name, read.default)
        for read in recorded
    )


def _evidence_of(seen: Any) -> Evidence:
    if not seen or not (seen.statements or seen.opened or seen.contacted):
        return NO_EVIDENCE  # the most common case by far
    return Evidence(seen.statements, seen.opened, seen.contacted)


def _missing_of(missed: Sequence[Any]) -> tuple[Missing, ...]:
    if not missed:
        return ()
    return tuple(Missing(one.name, one.host, one.reason, one.packages) for one in missed)


def _mails_of(sent: Sequence[Any]) -> tuple[Mail, ...]:
    if not sent:
        return ()
    return tuple(Mail(mail.body, mail.html, mail.by_thread) for mail in sent)


def exception_of_the_user() -> type[BaseException]:
    """Return the exception class of Ctrl-C; any other `KeyboardInterrupt` is the application's.

    With Python's own handler of SIGINT, both have the same class.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        return KeyboardInterrupt
    return StopAtOnce
