"""Lets forked children execute orders: the parent's side of `execution.forked.fork_server`."""

from __future__ import annotations

import pickle
import sys
import threading
import warnings
from collections.abc import Callable
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.isolation import time
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.execution.conversation import Conversation
from pytest_evosearch.execution.conversation import Order
from pytest_evosearch.execution.conversation import Performer
from pytest_evosearch.execution.equipment import Surroundings
from pytest_evosearch.execution.forked.channel import Channel
from pytest_evosearch.execution.forked.channel import ChannelClosed
from pytest_evosearch.execution.forked.channel import remaining
from pytest_evosearch.execution.forked.fork_server import HUNG
from pytest_evosearch.execution.forked.fork_server import Answer
from pytest_evosearch.execution.forked.fork_server import ForkServer
from pytest_evosearch.execution.forked.fork_server import Instruction
from pytest_evosearch.execution.forked.fork_server import finish
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.sut.state.leftovers import LeftoversWatch
from pytest_evosearch.write.plugins.survival import waits_for_work

SHOWN_THREADS = 2
"""Most threads that a message names."""

PARTING_SECONDS = 1.0
"""Seconds for a server to end by itself after the last order."""

ATTEMPTS = 5
"""Looks at a working thread before it counts as busy; a scheduler's job is short."""

ATTEMPT_SECONDS = 0.02


def reason_not_to_fork() -> str:
    """Say why this process cannot be forked, or not safely; empty when it can.

    A fork has one thread. A lock that another thread held stays locked in the fork for ever. A
    thread that waits for its next job holds no lock.
    """
    if not hasattr(os, "fork"):
        return "this platform cannot fork processes"
    if threading.current_thread() is not threading.main_thread():
        return "the search does not run in the main thread"
    threads = [one for one in threading.enumerate() if one is not threading.main_thread()]
    others = [one.name for one in threads if not _comes_to_rest(one)]
    if not others:
        return ""
    named = ", ".join(others[:SHOWN_THREADS])
    return f"forking is not safe beside other threads ({named})"


def _comes_to_rest(thread: threading.Thread) -> bool:
    """Say whether a thread rests, perhaps after its present job."""
    for _attempt in range(ATTEMPTS):
        if not thread.is_alive() or waits_for_work(thread) or _rests(thread):
            return True
        time.sleep(ATTEMPT_SECONDS)
    return False


def _rests(thread: threading.Thread) -> bool:
    """Say whether a daemon thread only waits for an event or for a time.

    A thread that is no daemon may have been started to hold something.
    """
    frame = sys._current_frames().get(thread.ident or 0)
    if frame is None or not thread.daemon:
        return False
    return (frame.f_code.co_filename, frame.f_code.co_name) == (threading.__file__, "wait")


class ForkedPerformer:
    """Executes each order in a child of a process that stays as it is now."""

    def __init__(
        self,
        surroundings: Surroundings,
        watch: LeftoversWatch,
        otherwise: Performer,
        adopted: Callable[[], None],
    ) -> None:
        self._around = surroundings
        self._watch = watch
        self._otherwise = otherwise
        """Executes what cannot be sent, and everything once the server is gone."""
        self._adopted = adopted
        """Called when a new database appears."""
        self._sent: dict[str, Endpoint] = {}
        self._known_users: set[str] = set()
        """Users that the server knows; the search may find more."""
        self._retired: list[TargetId] = []
        self._respecialize = False
        self._server = 0
        self.lost = False
        """Whether the server is gone."""

    def start(self) -> None:
        """Fork the server: every child begins with the present state."""
        self._orders, self._answers = Channel(), Channel()
        self._known_users = set(self._around.handle.users)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # from 3.12 on, of threads that libraries run
            self._server = os.fork()
        if self._server == 0:
            try:
                self._orders.keep_reading()
                self._answers.keep_writing()
                server = ForkServer(self._around, self._watch, self._orders, self._answers)
                server.serve()
            finally:
                os._exit(0)
        self._around.offspring.spare(self._server)
        self._orders.keep_writing()
        self._answers.keep_reading()

    def close(self) -> None:
        """Let the server end; `otherwise` executes later orders."""
        if not self._server:
            return
        server, self._server = self._server, 0
        self.lost = True
        os.close(self._orders.writing)
        os.close(self._answers.reading)
        end = time.monotonic() + PARTING_SECONDS
        with suppress(ChildProcessError):
            while not os.waitpid(server, os.WNOHANG)[0]:
                if remaining(end) == 0:
                    finish(server)
                    break
                time.sleep(0.001)

    def retire(self, targets: Sequence[TargetId]) -> None:
        """Stop recording `targets`, except in full executions."""
        self._retired.extend(targets)
        self._otherwise.retire(targets)

    def respecialize(self) -> None:
        """Remove the probes that stay silent for good from the application's code."""
        self._respecialize = True

    def perform(self, order: Order) -> Conversation:
        """Execute `order` in a child."""
        message = self._message(order)
        if message is None or self.lost:
            return self._otherwise.perform(order)
        try:
            self._orders.send(message)
            answer = pickle.loads(self._answers.receive())
        except ChannelClosed:
            self.lost = True
            return self._otherwise.perform(order)
        last = order.individual.calls[-1].endpoint if order.individual.calls else ""
        self._around.offspring.end_orphans(last)
        return self._understood(answer)

    def _message(self, order: Order) -> bytes | None:
        """Return the instruction for `order`; None when it cannot be pickled."""
        following = order.then.calls if order.then is not None else ()
        keys = dict.fromkeys(call.endpoint for call in (*order.individual.calls, *following))
        endpoints = {key: self._around.endpoint(key) for key in keys}
        news = {key: one for key, one in endpoints.items() if self._sent.get(key) is not one}
        users = self._around.handle.users
        newcomers = {name: users[name] for name in users if name not in self._known_users}
        retired = tuple(self._retired)
        instruction = Instruction(
            replace(order, go_on=None),
            news,
            newcomers,
            retired,
            self._respecialize,
            self._around.threads.work.known,
        )
        try:
            message = pickle.dumps(instruction)
        except (pickle.PicklingError, TypeError, AttributeError):
            return None
        self._sent.update(news)
        self._known_users.update(newcomers)
        self._retired.clear()
        self._respecialize = False
        return message

    def _understood(self, answer: Answer) -> Conversation:
        if answer.error:
            raise RuntimeError(f"an execution in a forked process failed:\n{answer.error}")
        self._watch.adopt(answer.leftovers)
        if answer.leftovers.databases:
            self._adopted()
        if answer.result:
            said = pickle.loads(answer.result)
            assert isinstance(said, Conversation)
            self._around.offspring.adopt(said.ended)
            self._around.threads.work.known.adopt(said.remains.threads)
            return said
        return conversation_cut_short(answer)


def conversation_cut_short(answer: Answer) -> Conversation:
    """Return the known part of an execution whose process hung or died."""
    said = Conversation()
    for position, message in enumerate(answer.calls, start=1):
        before, request, user = pickle.loads(message)
        said.exchanges.extend(before)
        if position == len(answer.calls):
            died = "" if answer.ending == HUNG else answer.ending
            said.exchanges.append(Exchange(request, None, user, frozen=True, died=died))
    said.covered = [frozenset()] * len(said.exchanges)
    return said
