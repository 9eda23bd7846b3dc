"""One climb: from a refused call, led by its comparisons, to calls that get further.

    look at the call with a different word in each text
    while its last comparisons suggest something:
        follow the suggestion; continue from the call that gets further

Further means new code, or a new comparison, for this climb. The status of the response says
nothing: a refusal may have the status of a success.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Generator
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import NamedTuple
from typing import TypeAlias

from pytest_evosearch.core.http_words import FIRST_REDIRECT
from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import replaced
from pytest_evosearch.genes.visit import leaves
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.instrument.probing.weighing import PASSED
from pytest_evosearch.instrument.probing.weighing import SIGNED
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.doors.callers import Account
from pytest_evosearch.problem.http.doors.callers import Caller
from pytest_evosearch.problem.http.doors.callers import Stored
from pytest_evosearch.problem.http.doors.callers import Try
from pytest_evosearch.problem.http.doors.callers import no_users
from pytest_evosearch.problem.http.doors.colouring import AUTHORIZATION
from pytest_evosearch.problem.http.doors.colouring import coloured
from pytest_evosearch.problem.http.doors.colouring import coloured_news
from pytest_evosearch.problem.http.doors.colouring import with_authorizations
from pytest_evosearch.problem.http.doors.colouring import words
from pytest_evosearch.problem.http.doors.exact_keys import crashes_alike
from pytest_evosearch.problem.http.doors.exact_keys import with_other_characters
from pytest_evosearch.problem.http.doors.owners import changed_accounts
from pytest_evosearch.problem.http.doors.owners import filled_for
from pytest_evosearch.problem.http.doors.owners import texts_in_turn
from pytest_evosearch.problem.http.doors.reshaping import reshaped
from pytest_evosearch.problem.http.doors.stored_values import EQUALITIES
from pytest_evosearch.problem.http.doors.stored_values import puts
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import is_safe
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import Link
from pytest_evosearch.problem.http.filling.adoption import applied
from pytest_evosearch.problem.http.filling.hints import Evidence
from pytest_evosearch.problem.http.filling.hints import Hint
from pytest_evosearch.problem.http.filling.hints import work_out
from pytest_evosearch.problem.http.filling.sent_values import sent_values

MOST_LOOKS = 40
"""Most looks of one climb."""

FRUITLESS_LOOKS = 15
"""Looks without progress after which a climb ends."""

MOST_ROOTS = 8

FIRST_CRASH = 500

BLAMED_COMPARISONS = 6
HINTS_PER_BLAMED = 5

InputKey: TypeAlias = "tuple[Location, str]"


@dataclass(frozen=True)
class Step:
    """A call that a climb has reached, and how."""

    individual: Individual
    observation: Observation
    changed: tuple[InputKey, ...] = ()
    """The inputs of the last call that suggestions have changed."""
    compared: tuple[str, ...] = ()
    """The values for these inputs that comparisons showed."""
    stored: tuple[Stored, ...] = ()
    """Values that were put into rows first."""
    account: Account | None = None
    """The account that was created first, where it differs from the one at the start."""

    @property
    def user(self) -> str | None:
        """The user who sends the calls."""
        return self.individual.calls[-1].user

    @property
    def passed(self) -> frozenset[TargetId]:
        """Places where checks of libraries have passed."""
        return passed_checks(self.observation)


@dataclass(frozen=True)
class Ascent:
    """The result of a climb."""

    first: Step
    last: Step
    signed_at: frozenset[tuple[InputKey, TargetId]] = frozenset()
    """Inputs whose required value depends on the rest of the request, and where each is checked."""


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


NO_ROWS = Rows(tuple, no_users)


Looks = Generator[Individual, Observation, Ascent | None]


def _as_it_is(individual: Individual, _observation: Observation) -> Individual:
    return individual


class Climb:
    """Proposes looks at one endpoint, and learns from their results."""

    def __init__(
        self,
        base: Individual,
        model: EndpointModel,
        rng: Random,
        keys: Mapping[tuple[Location, str], Gene],
        turns_away: Callable[[Exchange], bool],
        complete: Callable[[Call], Call],
        avoided: Collection[str] = (),
        goal: frozenset[TargetId] = frozenset(),
        rows: Rows = NO_ROWS,
        sign: Callable[[Individual, Observation], Individual] = _as_it_is,
    ) -> None:
        self._base = base
        self._model = model
        self._rng = rng
        self._keys = keys
        """Keys that succeed elsewhere: tried unchanged, before another word replaces them."""
        self._turns_away = turns_away
        self._complete = complete
        self._avoided = avoided
        """Values of known callers: the climb looks for another caller."""
        self._goal = goal
        """The code behind the check, where it is known."""
        self._rows = rows
        self._sign = sign
        """Renews the signatures of a test after each change."""
        self._signatures: set[tuple[InputKey, TargetId]] = set()
        self._seen: set[object] = set()
        self._sent: set[Individual] = set()
        self.obstacle = ""
        """The last comparison and its place, without values, which may be secrets."""
        self._left = MOST_LOOKS
        self._fruitless = 0

    def looks(self) -> Looks:
        """Yield tests, receive what each showed, and return how far they led, None for nowhere."""
        roots = yield from self._look_at_roots()
        if not roots:
            return None
        if self._rows.owner is not None:
            roots = yield from self._as_owner(roots)
        started = roots[1:] if self._rows.owner is not None else roots
        stack = [(step, self._suggestions(step)) for step in started]
        best = roots[-1]
        if best.account and self._is_let_in([roots[0].observation], best.observation):
            stack = []
        while stack and self._left > 0 and self._fruitless < FRUITLESS_LOOKS:
            step, suggestions = stack[-1]
            found = next(suggestions, None)
            if found is None:
                stack.pop()
                continue
            observation = yield from self._look(found.individual)
            if observation is not None and step.changed:
                observation = yield from self._signed(step, observation, found.changed)
            if observation is not None and self._is_progress(step, found, observation):
                reached = found.step(step, observation)
                signed = self._sign(reached.individual, observation)
                reached = replace(reached, individual=signed)
                stack.append((reached, self._suggestions(reached)))
                before = roots[0].observation, step.observation
                is_through = self._is_through(before, found, observation)
                if is_through and (yield from self._fails_at_check(reached)):
                    continue
                best = reached if best.passed <= reached.passed else best
                if is_through:
                    break  # what lies behind the door is for the search
        is_changed = best.changed or best.stored or best.account
        return Ascent(roots[0], best, frozenset(self._signatures)) if is_changed else None

    def _fails_at_check(self, step: Step) -> Generator[Individual, Observation, bool]:
        """Say whether a look has crashed, and does so with other keys than the one it has sent."""
        crashed = step.observation.exchanges[-1]
        if crashed.crash is None:
            return False
        for individual in with_other_characters(step.individual, step.changed):
            observation = yield from self._look(individual)
            if observation is not None and crashes_alike(crashed, observation.exchanges[-1]):
                return True
        return False

    def _signed(
        self, step: Step, observation: Observation, changed: Collection[InputKey]
    ) -> Generator[Individual, Observation, Observation]:
        """Look once more, with the value that an input requires now although it had passed before.

        If this input itself has changed, it does not sign the request.
        """
        for key in dict.fromkeys(step.changed):
            for comparison in observation.guidance:
                place = (key, comparison.target)
                if comparison.relation == PASSED or comparison.target not in step.passed:
                    continue
                corrected = corrected_at(observation, *place, self._model, self._rng)
                again = None if corrected is None else (yield from self._look(corrected))
                if again is not None and comparison.target in passed_checks(again):
                    if key not in changed:
                        self._signatures.add(place)
                    return again
        return observation

    def _look_at_roots(self) -> Generator[Individual, Observation, list[Step]]:
        """Look at the call with different words, and again with the inputs that the code read."""
        steps: list[Step] = []
        for _ in range(MOST_ROOTS):
            root = next((each for each in self._roots() if each not in self._sent), None)
            if root is None:
                break
            observation = yield from self._look(root)
            if observation is not None and (self._gets_further(observation) or not steps):
                steps.append(Step(root, observation))
            if self._keys and not self._is_refused(steps[0].observation):
                return []  # the known keys let in
        return steps

    def _as_owner(self, roots: list[Step]) -> Generator[Individual, Observation, list[Step]]:
        """Look at the anonymous caller's call also as the owner of an account.

        The first step stays that of the anonymous caller: the owner's progress is measured against
        it.
        """
        steps = roots[:1]
        for step in roots:
            owned = step.individual.sent_by(self._rows.owner)
            observation = yield from self._look(owned)
            assert observation is not None
            if self._gets_further(observation) or len(steps) == 1:
                account = self._rows.caller.account
                steps.append(
                    replace(step, individual=owned, observation=observation, account=account)
                )
        return steps

    def _is_through(
        self, before: Sequence[Observation], found: Suggestion, last: Observation
    ) -> bool:
        """Say whether a climb is finished, by its first and its latest look.

        It is not finished if code crashes that asked for a token, or asks for another input.
        """
        answer = last.exchanges[-1]
        call = last.individual.calls[-1]
        is_asked = turns_down(answer) and self._complete(call) != call
        return not (is_asked or crashes_at(answer, found.asked_at)) and self._is_let_in(
            before, last
        )

    def _is_let_in(self, before: Sequence[Observation], last: Observation) -> bool:
        """Say whether the last look succeeded where an earlier one was refused.

        A tenant that is unknown may be no refusal, but the missing key of a known one is.
        """
        first = before[0]
        if self._goal and not self._goal & last.reached:
            return False
        if len(self._base.calls) > 1 and is_taken(first.exchanges[-1], last.exchanges[-1]):
            return True
        if self._rows.caller.account is not None and turns_down(last.exchanges[-1]):
            return False
        fails = self._rows.owner is not None and first.exchanges[-1].crash is not None
        return (fails or any(map(self._is_refused, before))) and not self._is_refused(last)

    def _is_refused(self, observation: Observation) -> bool:
        """Say whether a look was refused, or the code required another token than the sent one.

        Code may crash when it reads a missing claim.
        """
        answer = observation.exchanges[-1]
        fails = turns_down(answer) and wants_token(observation)
        signed = (each.target for each in observation.guidance if is_signed(each.target))
        return self._turns_away(answer) or fails or any(map(partial(crashes_at, answer), signed))

    def _roots(self) -> Iterator[Individual]:
        last = len(self._base.calls) - 1
        plain = self._complete(self._base.calls[last])
        base = self._base if self._rows.owner is None else self._base.sent_by(None)
        if base is not self._base:
            plain = replace(plain, user=None)
        if self._keys:
            yield base.with_call(last, coloured(with_keys(plain, self._keys), self._keys))
        call = coloured(plain)
        takes = self._model.parameter(call.endpoint, AUTHORIZATION) is not None
        for variant in with_authorizations(call) if takes else (call,):
            yield base.with_call(last, variant)

    def _look(
        self, individual: Individual
    ) -> Generator[Individual, Observation, Observation | None]:
        if individual in self._sent:
            return None
        self._sent.add(individual)
        self._left -= 1
        self._fruitless += 1
        observation = yield individual
        self.obstacle = obstacle_of(observation) or self.obstacle
        return observation

    def _gets_further(self, observation: Observation) -> bool:
        marks = marks_of(observation)
        if marks <= self._seen:
            return False
        self._seen |= marks
        self._fruitless = 0
        return True

    def _is_progress(self, step: Step, found: Suggestion, observation: Observation) -> bool:
        """Say whether a look got further, or was refused in one place with all required inputs."""
        if self._gets_further(observation):
            return True
        is_refused = self._is_refused(observation) or turns_down(observation.exchanges[-1])
        asks = found.is_completed and is_refused
        return asks and marks_of(observation) >= marks_of(step.observation)

    def _suggestions(self, step: Step) -> Iterator[Suggestion]:
        """Yield the changes that the last comparisons suggest, the latest comparison first."""
        individual = step.individual
        yield from self._filled(step)
        hints = list(hints_of(individual, step.observation, self._avoided))
        whole = {hint.key for hint in hints if is_signed(hint.target)}
        whole = whole if sends_token(step.observation) else set()
        for hint in hints:
            if hint.key in whole and not is_signed(hint.target):
                continue  # a change inside a token breaks its signature
            changed = applied(individual, hint, self._model, self._rng)
            if changed is not None:
                if is_signed(hint.target) and changed.calls[-1].user is None:
                    # Only the application can sign it: what it leads to is no finding yet.
                    changed = changed.sent_by(self._rows.attempt(Caller()))
                compared = () if is_signed(hint.target) else (str(hint.value),)
                asked_at = hint.target if is_signed(hint.target) else ""
                yield Suggestion(changed, (hint.key,), compared, asked_at=asked_at)
        last = len(individual.calls) - 1
        completed = self._complete(individual.calls[last])
        if completed != individual.calls[last]:
            changed_call = coloured_news(completed, individual.calls[last])
            yield Suggestion(individual.with_call(last, changed_call), is_completed=True)
        yield from self._with_rows(step)
        yield from self._with_accounts(step)
        for changed_call, key in reshaped(
            individual.calls[last], step.observation.guidance, self._rng
        ):
            yield Suggestion(individual.with_call(last, changed_call), (key,))

    def _with_rows(self, step: Step) -> Iterator[Suggestion]:
        """Yield the test as a user whose row holds the values that the code computed."""
        for put in puts(step.individual, step.observation, self._rows.values()):
            if put.old in self._avoided:
                continue
            user = self._rows.attempt_with((*step.stored, put), step.account)
            if user is not None:
                yield Suggestion(step.individual.sent_by(user), stored=(put,))

    def _filled(self, step: Step) -> Iterator[Suggestion]:
        """Yield the test with an account's values, where names of inputs ask for them."""
        account = step.account or self._rows.caller.account
        if account is None or step.user is None:
            return
        last = len(step.individual.calls) - 1
        call = self._complete(step.individual.calls[last])
        filled = filled_for(call, account)
        news = [one for one in filled.inputs if one not in call.inputs]
        if news:
            compared = tuple(text for text in account.texts if text != account.password)
            keys = tuple(one.key for one in news)
            yield Suggestion(step.individual.with_call(last, filled), keys, compared)

    def _with_accounts(self, step: Step) -> Iterator[Suggestion]:
        """Yield tests that may succeed for the owner of an account that is created first.

        Some put a value of the account in the place of each other text. Some change the account:
        where one of its values is compared, the account gets the other side.
        """
        account = step.account or self._rows.caller.account
        if account is None or step.user is None:
            return
        renewed = self._rows.renewed(account)
        others = [renewed] if renewed != account else []
        for changed in (*others, *changed_accounts(account, step.observation)):
            user = self._rows.attempt_with(step.stored, changed)
            if user is not None:
                yield Suggestion(step.individual.sent_by(user), account=changed)
        for changed_call, key, text in texts_in_turn(account, step.individual.calls[-1]):
            last = len(step.individual.calls) - 1
            yield Suggestion(step.individual.with_call(last, changed_call), (key,), (text,))


def turns_down(exchange: Exchange) -> bool:
    """Say whether the status of a response says that the request was wrong."""
    return FIRST_REFUSAL <= exchange.status < FIRST_CRASH


def is_taken(first: Exchange, last: Exchange) -> bool:
    """Say whether a form that was wrong at first is now accepted, and leads elsewhere."""
    leads_elsewhere = FIRST_REDIRECT <= last.status < FIRST_REFUSAL
    return turns_down(first) and leads_elsewhere and not is_safe(last.request.endpoint)


def crashes_at(exchange: Exchange, target: TargetId) -> bool:
    """Say whether a call has crashed on the line of a comparison."""
    crash = exchange.crash
    return crash is not None and f"{crash.path}:{crash.line}" in target.split(" ")


def is_signed(target: TargetId) -> bool:
    """Say whether a comparison required a token that only the application can sign."""
    return target.startswith(SIGNED)


def sends_token(observation: Observation) -> bool:
    """Say whether a look has sent a JWT where another one was required."""
    signed = [one for one in observation.guidance if is_signed(one.target)]
    return any(str(one.observed).count(".") == 2 for one in signed)


def wants_token(observation: Observation) -> bool:
    """Say whether a look showed a token that would have been accepted."""
    return any(is_signed(each.target) for each in observation.guidance)


def obstacle_of(observation: Observation) -> str:
    """Return the place of the last comparison, and which inputs the look sent."""
    compared = [each for each in observation.guidance if each.relation in EQUALITIES]
    call = observation.individual.calls[-1]
    names = [given.name or given.location.value for given in call.inputs]
    if not compared or not names:
        return ""
    position = next((word for word in compared[-1].target.split(" ") if ":" in word), "")
    return f"{position} compares what is made of {', '.join(names)}" if position else ""


def passed_checks(observation: Observation) -> frozenset[TargetId]:
    """Return where checks of libraries have passed."""
    return frozenset(each.target for each in observation.guidance if each.relation == PASSED)


def corrected_at(
    observation: Observation, key: InputKey, place: TargetId, model: EndpointModel, rng: Random
) -> Individual | None:
    """Return the test with the input that a check at `place` required, None if it has it."""
    for hint in hints_of(observation.individual, observation):
        if hint.key == key and hint.target == place:
            return applied(observation.individual, hint, model, rng)
    return None


def with_keys(call: Call, keys: Mapping[tuple[Location, str], Gene]) -> Call:
    """Return `call` with credentials in their places."""
    for identity, gene in keys.items():
        call = call.with_input(Input(*identity, gene))
    return call


def opens(shown: Observation, plain: Observation, alone: Observation) -> bool:
    """Say whether a call gets further after another call than `plain`.

    Code that the other call covers `alone` does not count.
    """
    if shown.exchanges[-1].status != plain.exchanges[-1].status:
        return True
    return bool(shown.reached - plain.reached - alone.reached)


def marks_of(observation: Observation) -> set[object]:
    """Return how far a call got: covered code, and comparisons with the types of their operands."""
    marks: set[object] = set(observation.reached)
    for hint in hints_of(observation.individual, observation):
        marks.add((hint.target, hint.key, hint.value_path))
    for comparison in observation.guidance:
        kinds = _kind(comparison.observed), _kind(comparison.wanted)
        marks.add((comparison.target, comparison.relation, *kinds))
    return marks


def _kind(operand: object) -> tuple[str, bool]:
    """Return the type of an operand, and whether it is a non-empty value."""
    return type(operand).__name__, operand not in ("", b"")


def hints_of(
    individual: Individual, observation: Observation, avoided: Collection[object] = ()
) -> Iterator[Hint]:
    """Yield the hints of the last comparisons for the last call, without values to be avoided."""
    last = len(individual.calls) - 1
    linked = [
        (each.call, each.key, each.gene_path)
        for each in sent_values(individual, observation.exchanges)
        if isinstance(each.gene.value(), Link)
    ]
    blamed = [each for each in reversed(observation.guidance) if each.relation in EQUALITIES]
    for comparison in islice(blamed, BLAMED_COMPARISONS):
        hints = _worked_out(comparison, individual, observation)
        fitting = (
            hint
            for hint in hints
            if hint.call == last and (hint.call, hint.key, hint.gene_path) not in linked
            if hint.value not in avoided
        )
        yield from islice(fitting, HINTS_PER_BLAMED)


def _worked_out(
    comparison: Comparison, individual: Individual, observation: Observation
) -> list[Hint]:
    evidence = Evidence(individual, observation.exchanges, 0.0, [comparison])
    return work_out(comparison.target, evidence)


def with_spoilt_keys(
    ascent: Ascent, keys: Collection[tuple[Location, str]]
) -> Iterator[tuple[tuple[Location, str], Individual]]:
    """Yield the last test of a climb once for each change, with another word in its place."""
    individual = ascent.last.individual
    last = len(individual.calls) - 1
    call = individual.calls[last]
    for given in call.inputs:
        if given.key in keys:
            yield given.key, individual.with_call(last, call.with_input(_spoilt(given)))


def without_keys(ascent: Ascent, keys: Collection[tuple[Location, str]]) -> Individual:
    """Return the last test of a climb without the inputs `keys`."""
    individual = ascent.last.individual
    last = len(individual.calls) - 1
    call = individual.calls[last]
    for key in keys:
        call = call.without_input(key)
    return individual.with_call(last, call)


def _spoilt(given: Input) -> Input:
    gene = given.gene
    held = {str(leaf.value()) for _value_path, _gene_path, leaf in leaves(gene)}
    others = (word for word in words() if word not in held)
    for (_value_path, gene_path, leaf), word in zip(list(leaves(gene)), others, strict=False):
        adopted = leaf.adopt(word)
        if adopted is not None:
            gene = replaced(gene, gene_path, adopted)
    return replace(given, gene=gene)


def lost(ascent: Ascent, observation: Observation) -> Sequence[TargetId]:
    """Return what the climb gained and a test without one of its changes does not cover."""
    return sorted(gained(ascent) - observation.reached)


def gained(ascent: Ascent) -> frozenset[TargetId]:
    """Return the code that the last look covered and the first one did not."""
    return ascent.last.observation.reached - ascent.first.observation.reached
