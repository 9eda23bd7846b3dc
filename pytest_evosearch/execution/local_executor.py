"""Executes orders in this process, through the application's own test client.

    restore the state -> a fresh client for each user (logged in) -> for each call:
        build the request from earlier responses -> send it in an empty context, within
        the time limit, with probes and read recording on -> Exchange

Invariant: `perform` returns, whatever Python code of the application does (crash, exit, hang,
print).
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import field
from dataclasses import replace
from typing import Any

from pytest_evosearch.core.failing.fence import Fence
from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.scores import COVERED
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.errors import HookFailed
from pytest_evosearch.execution.call_sending import CallSender
from pytest_evosearch.execution.conversation import Announcement
from pytest_evosearch.execution.conversation import Conversation
from pytest_evosearch.execution.conversation import GoOn
from pytest_evosearch.execution.conversation import Look
from pytest_evosearch.execution.conversation import Order
from pytest_evosearch.execution.conversation import say_nothing
from pytest_evosearch.execution.equipment import Surroundings
from pytest_evosearch.execution.repeating.elsewhere import Elsewhere
from pytest_evosearch.execution.repeating.identities import ApplicationModules
from pytest_evosearch.execution.repeating.identities import IdentityWatch
from pytest_evosearch.execution.repetitions import RandomnessWatch
from pytest_evosearch.execution.repetitions import when_threads_are_done
from pytest_evosearch.execution.transport import relieved
from pytest_evosearch.instrument.probing.trace import Trace
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.request import build_request
from pytest_evosearch.sut.watching.issued_warnings import warnings_noted

FILES = "the protection of files"
"""Part of a run that watches and undoes what calls write."""


@dataclass
class _Running:
    """The running state of one execution."""

    announce: Announcement
    order: Order
    said: Conversation = field(default_factory=Conversation)
    clients: dict[str | None, Any] = field(default_factory=dict)
    earlier: dict[int, tuple[int, Exchange]] = field(default_factory=dict)


class LocalPerformer:
    """Sends an individual's calls and collects the results."""

    def __init__(self, surroundings: Surroundings, fence: Fence | None = None) -> None:
        self._around = surroundings
        self._fence = fence or Fence()
        self._sender = CallSender(surroundings, self._fence)
        self._elsewhere = Elsewhere()
        self._modules = ApplicationModules()
        self._reached: set[TargetId] = set()
        """Targets that any test of the search has covered."""

    def retire(self, targets: Sequence[TargetId]) -> None:
        """Stop recording `targets`, except in full executions."""
        self._around.probes.retire(targets)

    def respecialize(self) -> None:
        """Remove probes from the application's code that are switched off for good."""
        self._around.probes.respecialize()

    def perform(self, order: Order, announce: Announcement = say_nothing) -> Conversation:
        """Execute `order` from the restored state, and restore the files afterwards.

        Neither a forked process nor the user, after an interrupted run, may find changed files.
        """
        running = _Running(announce, order)
        self._around.limit.patient = order.patient
        self._around.offspring.begin_test(order.look in (Look.AGAIN, Look.FULL))
        if self._around.services.answers is not None:
            self._around.services.answers.begin_test()
        try:
            if order.look is Look.AGAIN:
                self._repeat(order, running)
            elif order.look is Look.FULL:
                self._look_at_everything(order, running)
            else:
                self._search(order, running)
            if order.then is not None:
                running.said.remains.changed = tuple(self._around.restore.restored_places())
                following = _Running(say_nothing, Order(order.then, Look.AGAIN))
                self._repeat(following.order, following)
                running.said.remains.afterwards = following.said.exchanges
        finally:
            self._around.threads.effects.end()
            if self._around.services.answers is not None:
                self._around.services.answers.end_test()
            running.said.remains.threads = self._around.threads.work.known
            running.said.ended.update(self._around.offspring.end_test())
            if unending := self._around.limit.unending_destructors():
                running.said.complaints += map(self._unending_destructor, unending)
            self._fence.run(FILES, self._around.files.restore, otherwise=None)
            running.said.remains.mishaps = tuple(self._fence.mishaps.values())
        return running.said

    def _unending_destructor(self, place: tuple[str, int]) -> str:
        """Return a line about a destructor that does not end."""
        file, line = place
        shown = f"{self._around.source_name(file) or file}:{line}"
        return f"a destructor (__del__) does not end, and is cut off each time: {shown}"

    def _search(self, order: Order, running: _Running) -> None:
        calls, said = order.individual.calls, running.said
        guided = calls[-1:] if order.look is Look.GUIDED else ()
        if order.anew:
            self._around.process.restore()
        known = order.go_on is None and not order.anew
        trusted = [call.endpoint for call in calls] if known else None
        with self._around.process.protected(trusted):
            self._restore()
            self._around.threads.work.begin()
            # A guided test of one call needs no other mode: a change of mode touches every probe.
            if len(calls) > len(guided):
                self._listen(calls[: len(calls) - len(guided)], running)
            if order.go_on is not None:
                self._grow(order.go_on, running)
            if guided and not (said.exchanges and said.exchanges[-1].frozen):
                trace = self._listen(guided, running, full=True)
                said.guidance = trace.comparisons
                said.reached = frozenset(t for t, score in trace.scores.items() if score >= COVERED)
            self._finish_work(said)
            self._around.process.attention.is_familiar = self._is_familiar(said)

    def _is_familiar(self, said: Conversation) -> bool:
        """Say whether a test has reached only targets that others have reached."""
        covered = [target for target, score in said.scores.items() if score >= COVERED]
        if self._reached.issuperset(covered):
            return True
        self._reached.update(covered)
        return False

    def _grow(self, go_on: GoOn, running: _Running) -> None:
        """Perform the calls that follow the answers so far, each after the one before."""
        said = running.said
        while not (said.exchanges and said.exchanges[-1].frozen):
            call = go_on(said.exchanges)
            if call is None:
                return
            said.further.append((call, self._listen((call,), running).scores))

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
        with around.process.protected(), warnings_noted() as warned:
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
        said.remains.warnings = tuple(sorted(warned))
        said.scores = merged_scores(trace.scores for trace in traces)
        said.covered = [
            frozenset(target for target, score in trace.scores.items() if score >= COVERED)
            for trace in traces
        ]
        said.disturbances = self._disturbances([call.endpoint for call in order.individual.calls])
        said.remains.leaves_threads = self._around.threads.effects.is_waited_for
        harms = [one for one, times in self._held_back().items() if times != tried.get(one)]
        harmed = self._fence.run(FILES, around.files.harms, otherwise=())
        said.harms = (*harms, *harmed)
        original_of = around.handle.original_of
        said.created = self._fence.run(FILES, around.files.created, original_of, otherwise=())

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
                modules = self._modules.now()
                elsewhere = self._elsewhere.seen(modules)
                waits = order.condition is when_threads_are_done
                held = nullcontext() if waits else work.held_up()
                as_it_is = self._around.process.taken_as_it_is()
                answered = identities.answering(modules)
                with watch.counting(), answered, elsewhere, held, as_it_is:
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

    def _perform(self, call: Call, running: _Running) -> Exchange:
        around, exchanges = self._around, running.said.exchanges
        account = self._sender.account_of(call.user)
        request = build_request(call, around.endpoint(call.endpoint), running.earlier)
        if account is not None:
            request = relieved(request, account.fixed)
        if around.change_request is not None:
            request = self._changed(request, call, running.said)
        if request.rows:
            request = self._with_rows(request)
        running.announce(exchanges, request, call.user)
        around.current.begin(call.endpoint)
        client = self._sender.client_of(call.user, running.clients)
        order = running.order
        records = len(exchanges) in order.recorded
        exchange = self._sender.send(
            client, request, call.user, running.said, records, order.layers
        )
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
        placed = None if place is None else self._sender.within_limit(place, request.rows)
        return replace(request, rows=placed or ())

    def _finish_work(self, said: Conversation) -> None:
        """Finish work that the test has started; failures of it belong to the last call."""
        self._around.threads.work.finish()
        hidden = self._sender.hidden(None, 0)
        if hidden and said.exchanges:
            last = said.exchanges[-1]
            said.exchanges[-1] = replace(last, hidden=(*last.hidden, *hidden))

    def _changed(self, request: Request, call: Call, said: Conversation) -> Request:
        """Return `request` as the project's hook changes it; unchanged where the hook fails."""
        assert self._around.change_request is not None
        endpoint = self._around.endpoint(call.endpoint)
        try:
            return self._around.change_request(request, endpoint, call.user)
        except HookFailed as failure:
            said.complaints.append(str(failure))
            return request

    def _held_back(self) -> dict[str, int]:
        """Return all prevented harm so far -> how many times each."""
        around = self._around
        refused = {**around.files.refusals, **around.process.refusals, **around.threads.refusals}
        return {**around.handle.harms(), **refused}


def merged_scores(parts: Iterable[Mapping[TargetId, float]]) -> dict[TargetId, float]:
    """Return the best score of each target over `parts`."""
    merged: dict[TargetId, float] = {}
    for part in parts:
        for target, score in part.items():
            merged[target] = max(score, merged.get(target, 0.0))
    return merged
