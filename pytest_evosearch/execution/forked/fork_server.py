"""A copy of the process from before the first call, which forks a child for each execution.

    parent                     server (never calls the application)     child
    order, what is retired ->  takes in what is retired, forks     ->   executes the order,
                               waits, ends what hangs              <-   each call announced,
    adopts, judges         <-  hands on what was said              <-   what came of it; _exit

The parent itself cannot be forked for each execution: its state has changed by the time that
restoring turns out to fail. The server was forked before, so it still has the state and the small
heap of the beginning. A fresh interpreter would be too slow: importing and building an application
costs as much as a hundred forks.

In a child everything in memory is a copy: module globals, objects of C extensions, closures,
iterators, databases in memory. Files are shared, so a child restores the state when it begins and
when it ends.
"""

from __future__ import annotations

import pickle
import signal
import traceback
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import field
from dataclasses import replace
from typing import Any

from pytest_evosearch.core.isolation import faulthandler
from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.isolation import time
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.execution.conversation import Order
from pytest_evosearch.execution.equipment import Surroundings
from pytest_evosearch.execution.forked.channel import Channel
from pytest_evosearch.execution.forked.channel import ChannelClosed
from pytest_evosearch.execution.forked.channel import remaining
from pytest_evosearch.execution.forked.channel import wait_for
from pytest_evosearch.execution.forked.pools import pools_of_application
from pytest_evosearch.execution.forked.pools import renew
from pytest_evosearch.execution.forked.portable import packed_call
from pytest_evosearch.execution.forked.portable import packed_conversation
from pytest_evosearch.execution.local_executor import LocalPerformer
from pytest_evosearch.execution.started_work import KnownThreads
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.sut.handle import User
from pytest_evosearch.sut.sandbox.child_processes import adopt_orphans
from pytest_evosearch.sut.state.leftovers import NOTHING_LEFT
from pytest_evosearch.sut.state.leftovers import Leftovers
from pytest_evosearch.sut.state.leftovers import LeftoversWatch

GRACE_SECONDS = 2.0
"""Seconds beyond the time limits of a log-in and a call.

A child that needs longer hangs in C, where its own alarm cannot reach it, and is ended.
"""

GLANCE_SECONDS = 0.1
"""Seconds between two checks for a dead child whose channel another process holds open."""

HUNG = "hung"
"""The ending of a child that took too long and was ended."""

_CALL, _RESULT, _LEFTOVERS, _ERROR = b"crle"


@dataclass(frozen=True)
class Instruction:
    """A message from the parent to the server."""

    order: Order
    endpoints: Mapping[str, Endpoint]
    """Endpoints of the order that have changed since the last instruction."""
    users: Mapping[str, User] = field(default_factory=dict)
    """Users that the search has found since the last instruction."""
    retired: Sequence[TargetId] = ()
    """Targets that were retired since the last instruction."""
    respecialize: bool = False
    threads: KnownThreads = field(default_factory=KnownThreads)


@dataclass
class Answer:
    """A message from the server to the parent."""

    calls: list[bytes] = field(default_factory=list)
    """For each call, pickled: the exchanges before it, its request, and its user."""
    result: bytes = b""
    """The pickled conversation; empty when the child died first."""
    leftovers: Leftovers = NOTHING_LEFT
    ending: str = ""
    """How the child ended without a result: `HUNG`, ``SIGSEGV``, ``exit code 3``."""
    error: str = ""
    """The traceback of an error of our own."""


class ForkServer:
    """The server's side; `serve` returns when the parent is gone."""

    def __init__(
        self, surroundings: Surroundings, watch: LeftoversWatch, orders: Channel, answers: Channel
    ) -> None:
        self._endpoints: dict[str, Endpoint] = {}
        self._users = dict(surroundings.handle.users)
        self._around = replace(
            surroundings,
            endpoint=self._endpoints.__getitem__,
            handle=replace(surroundings.handle, users=self._users),
        )
        self._performer = LocalPerformer(self._around)
        self._watch = watch
        self._orders = orders
        self._answers = answers
        self._pools: Sequence[Any] = ()
        """The application's pools; a fork has none of their threads."""
        self._limit = surroundings.limit

    def serve(self) -> None:
        """Execute instructions until the parent closes its end."""
        become_quiet()
        # Disable it here once: in a child, it would copy all memory shared with this process.
        self._around.garbage.begin()
        self._pools = pools_of_application()
        with suppress(ChannelClosed):
            while True:
                instruction = pickle.loads(self._orders.receive())
                self._prepare(instruction)
                self._answers.send(pickle.dumps(self._execute(instruction.order)))

    def _prepare(self, instruction: Instruction) -> None:
        """Do once here what each child would have to do again."""
        self._endpoints.update(instruction.endpoints)
        self._users.update(instruction.users)
        self._around.threads.work.known.adopt(instruction.threads)
        self._performer.retire(instruction.retired)
        if instruction.respecialize:
            self._performer.respecialize()
        self._around.probes.begin(instruction.order.look.records_everything)
        self._around.probes.end()
        self._watch.begin()

    def _execute(self, order: Order) -> Answer:
        channel = Channel()
        child = os.fork()
        if child == 0:
            channel.keep_writing()
            os.close(self._orders.reading)
            os.close(self._answers.writing)
            renew(self._pools)
            Child(self._performer, self._around, self._watch, channel).execute(order)
        channel.keep_reading()
        try:
            self._limit.patient = order.patient
            answer = self._attend(child, channel, 2 * self._limit.present + GRACE_SECONDS)
        finally:
            os.close(channel.reading)
        self._watch.adopt(answer.leftovers)
        return answer

    def _attend(self, child: int, channel: Channel, patience: float) -> Answer:
        """Listen to a child until it has ended, or took `patience` seconds over one call."""
        answer, end = Answer(), time.monotonic() + patience
        ending = ""
        while True:
            ready = wait_for([channel, self._orders], min(GLANCE_SECONDS, remaining(end)))
            if self._orders in ready:  # the parent sends nothing now, so it is gone
                finish(child)
                raise ChannelClosed
            if channel in ready:
                try:
                    _take_in(channel.receive(), answer)
                except ChannelClosed:
                    break
                end = time.monotonic() + patience
            elif ending:  # it will send no more; one of its own processes still holds the channel
                break
            elif remaining(end) == 0:
                finish(child)
                ending = HUNG
                break
            else:
                ending = _ending_if_gone(child)
        ending = ending or _ending_of(os.waitpid(child, 0)[1])
        answer.ending = "" if answer.result else ending
        if answer.ending:
            self._around.files.undo_for_the_dead()
        return answer


class Child:
    """One execution in a process that ends with it."""

    def __init__(
        self,
        performer: LocalPerformer,
        surroundings: Surroundings,
        watch: LeftoversWatch,
        channel: Channel,
    ) -> None:
        self._performer = performer
        self._around = surroundings
        self._watch = watch
        self._channel = channel
        self._sent_calls = 0
        self._process = os.getpid()

    def execute(self, order: Order) -> None:
        """Execute `order`, send the results, and restore the files."""
        try:
            self._around.process.follow()
            adopt_orphans()
            said = self._performer.perform(order, self._announce)
            self._send(_RESULT, packed_conversation(said))
            self._send(_LEFTOVERS, pickle.dumps(self._watch.take()))
            self._around.restore()
        except BaseException:
            with suppress(BaseException):
                self._send(_ERROR, traceback.format_exc().encode("utf-8", "replace"))
        finally:
            os._exit(0)

    def _announce(self, before: Sequence[Exchange], request: Request, user: str | None) -> None:
        news = before[self._sent_calls :]
        self._sent_calls = len(before)
        self._send(_CALL, packed_call(news, request, user))

    def _send(self, kind: int, message: bytes) -> None:
        if os.getpid() != self._process:  # the application forked, and this is its child
            os._exit(0)
        self._channel.send(bytes((kind,)) + message)


def become_quiet() -> None:
    """Leave Ctrl-C to the parent, and do not touch the terminal when a child is killed."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    faulthandler.disable()
    with suppress(Exception):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def finish(child: int) -> str:
    """End a process for good, and say how it ended."""
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    with suppress(ChildProcessError):
        return _ending_of(os.waitpid(child, 0)[1])
    return ""


def _ending_if_gone(child: int) -> str:
    """Say how a child ended; empty while it lives."""
    finished, status = os.waitpid(child, os.WNOHANG)
    return _ending_of(status) if finished else ""


def _ending_of(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return f"exit code {code}"
    with suppress(ValueError):
        return signal.Signals(-code).name
    return f"signal {-code}"


def _take_in(message: bytes, answer: Answer) -> None:
    kind, content = message[0], message[1:]
    if kind == _CALL:
        answer.calls.append(content)
    elif kind == _RESULT:
        answer.result, answer.calls = content, []
    elif kind == _LEFTOVERS:
        answer.leftovers = pickle.loads(content)
    else:
        answer.error = content.decode("utf-8", "replace")
