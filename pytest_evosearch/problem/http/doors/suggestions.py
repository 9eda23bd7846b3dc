"""What to change in a call that was turned away, as its last comparisons suggest."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import field
from dataclasses import replace
from typing import NamedTuple
from typing import TypeAlias

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.doors.ascents import Step
from pytest_evosearch.problem.http.doors.callers import Account
from pytest_evosearch.problem.http.doors.callers import Caller
from pytest_evosearch.problem.http.doors.callers import Stored
from pytest_evosearch.problem.http.doors.callers import Try
from pytest_evosearch.problem.http.doors.callers import no_users
from pytest_evosearch.problem.http.doors.clues import InputKey
from pytest_evosearch.problem.http.doors.clues import hints_of
from pytest_evosearch.problem.http.doors.clues import is_signed
from pytest_evosearch.problem.http.doors.clues import sends_token
from pytest_evosearch.problem.http.doors.colouring import coloured_news
from pytest_evosearch.problem.http.doors.owners import changed_accounts
from pytest_evosearch.problem.http.doors.owners import filled_for
from pytest_evosearch.problem.http.doors.owners import texts_in_turn
from pytest_evosearch.problem.http.doors.reshaping import reshaped
from pytest_evosearch.problem.http.doors.stored_values import puts
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.filling.adoption import applied
from pytest_evosearch.problem.http.filling.hints import Hint


class Suggestion(NamedTuple):
    """A test to look at, and its changes."""

    individual: Individual
    changed: tuple[InputKey, ...] = ()
    compared: tuple[str, ...] = ()
    """The values for these inputs that comparisons showed."""
    stored: tuple[Stored, ...] = ()
    """Values to put into rows first."""
    account: Account | None = None
    """The account that is made first, where that is another one."""
    asked_at: TargetId = ""
    """Where a token was read: if code crashes there, it needs another token."""
    is_completed: bool = False
    """Whether it also sends the inputs that the code was seen to read."""

    def step(self, before: Step, observation: Observation) -> Step:
        """Return the step that this suggestion led to, after the step `before`."""
        return Step(
            observation.individual,
            observation,
            (*before.changed, *self.changed),
            (*before.compared, *self.compared),
            (*before.stored, *self.stored),
            self.account or before.account,
        )


@dataclass(frozen=True)
class Rows:
    """The rows of databases, as far as a climb uses them."""

    values: Callable[[], Collection[str | bytes]]
    """Which texts and bytes they hold."""
    attempt: Try
    caller: Caller = field(default_factory=Caller)
    """The caller who sends the calls, as far as known."""
    renewed: Callable[[Account], Account] = lambda account: account
    """Returns an account with everything now known about its values."""
    owner: str | None = None
    """The user for looks only, where an account of the caller is created first."""

    def attempt_with(
        self, stored: tuple[Stored, ...], account: Account | None = None
    ) -> str | None:
        """Make a user for looks only of this caller, with other rows or another account."""
        before = self.caller
        held = (*before.stored, *stored)
        return self.attempt(replace(before, stored=held, account=account or before.account))


Likely: TypeAlias = "Callable[[Individual, Sequence[Exchange]], Iterator[Hint]]"


def no_hints(_individual: Individual, _exchanges: Sequence[Exchange]) -> Iterator[Hint]:
    """Propose nothing."""
    return iter(())


NO_ROWS = Rows(tuple, no_users)


@dataclass(frozen=True)
class Suggestions:
    """Proposes what to change after one step of a climb."""

    model: EndpointModel
    rng: Random
    rows: Rows
    complete: Callable[[Call], Call]
    """Adds all inputs that an endpoint is now known to take."""
    avoided: Collection[str] = ()
    """Values of known callers: the climb looks for another caller."""
    likely: Likely = no_hints
    """Proposes other values for the input that was read last."""

    def after(self, step: Step) -> Iterator[Suggestion]:
        """Yield the changes that the last comparisons suggest, the latest comparison first."""
        individual = step.individual
        yield from self._filled(step)
        last = len(individual.calls) - 1
        hints = list(hints_of(individual, step.observation, self.avoided))
        whole = {hint.key for hint in hints if is_signed(hint.target)}
        whole = whole if sends_token(step.observation) else set()
        for hint in hints:
            if hint.key in whole and not is_signed(hint.target):
                continue  # a change inside a token breaks its signature
            changed = applied(individual, hint, self.model, self.rng)
            if changed is not None:
                if is_signed(hint.target) and changed.calls[-1].user is None:
                    # Only the application can sign it: what it leads to is no finding yet.
                    changed = changed.sent_by(self.rows.attempt(Caller()))
                compared = () if is_signed(hint.target) else (str(hint.value),)
                asked_at = hint.target if is_signed(hint.target) else ""
                keys = (hint.key,) if hint.call == last else ()
                yield Suggestion(changed, keys, compared, asked_at=asked_at)
        completed = self.complete(individual.calls[last])
        if completed != individual.calls[last]:
            changed_call = coloured_news(completed, individual.calls[last])
            yield Suggestion(individual.with_call(last, changed_call), is_completed=True)
        yield from self._with_rows(step)
        yield from self._with_accounts(step)
        for changed_call, key in reshaped(
            individual.calls[last], step.observation.guidance, self.rng
        ):
            yield Suggestion(individual.with_call(last, changed_call), (key,))

    def likely_after(self, step: Step) -> Iterator[Suggestion]:
        """Yield what comparisons suggest, then other values for the input that was read last."""
        wide = hints_of(step.individual, step.observation, widely=True)
        likely = self.likely(step.individual, step.observation.exchanges)
        for hint in (*wide, *likely):
            changed = applied(step.individual, hint, self.model, self.rng)
            if changed is not None:
                yield Suggestion(changed, (hint.key,), (str(hint.value),))
        completed = self.complete(step.individual.calls[-1])
        if completed != step.individual.calls[-1]:
            last = len(step.individual.calls) - 1
            yield Suggestion(step.individual.with_call(last, completed), is_completed=True)

    def _filled(self, step: Step) -> Iterator[Suggestion]:
        """Yield the test with an account's values, where names of inputs ask for them."""
        account = step.account or self.rows.caller.account
        if account is None or step.user is None:
            return
        last = len(step.individual.calls) - 1
        call = self.complete(step.individual.calls[last])
        filled = filled_for(call, account)
        news = [one for one in filled.inputs if one not in call.inputs]
        if news:
            compared = tuple(text for text in account.texts if text != account.password)
            keys = tuple(one.key for one in news)
            yield Suggestion(step.individual.with_call(last, filled), keys, compared)

    def _with_rows(self, step: Step) -> Iterator[Suggestion]:
        """Yield the test as a user whose row holds the values that the code computed."""
        for put in puts(step.individual, step.observation, self.rows.values()):
            if put.old in self.avoided:
                continue
            user = self.rows.attempt_with((*step.stored, put), step.account)
            if user is not None:
                yield Suggestion(step.individual.sent_by(user), stored=(put,))

    def _with_accounts(self, step: Step) -> Iterator[Suggestion]:
        """Yield tests that may succeed for the owner of an account that is created first.

        Some put a value of the account in the place of each other text. Some change the account:
        where one of its values is compared, the account gets the other side.
        """
        account = step.account or self.rows.caller.account
        if account is None or step.user is None:
            return
        renewed = self.rows.renewed(account)
        others = [renewed] if renewed != account else []
        for changed in (*others, *changed_accounts(account, step.observation)):
            user = self.rows.attempt_with(step.stored, changed)
            if user is not None:
                yield Suggestion(step.individual.sent_by(user), account=changed)
        for changed_call, key, text in texts_in_turn(account, step.individual.calls[-1]):
            last = len(step.individual.calls) - 1
            yield Suggestion(step.individual.with_call(last, changed_call), (key,), (text,))
