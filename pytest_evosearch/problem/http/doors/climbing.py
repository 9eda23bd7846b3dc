"""One climb: from a refused call, by what it was compared with, to a call that gets further.

    look at the call coloured
    while its last comparisons suggest something:
        follow the suggestion; what gets further is where the climb goes on

Further means code that no earlier look of the climb has covered, or a comparison that none of
them has come to.  The status of the answer says nothing: a refusal may be a success by its status.
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
"""Looks of one climb."""

FRUITLESS_LOOKS = 15
"""Looks without progress after which a climb ends."""

MOST_ROOTS = 8

FIRST_CRASH = 500

BLAMED_COMPARISONS = 6
HINTS_PER_BLAMED = 5

InputKey: TypeAlias = "tuple[Location, str]"


@dataclass(frozen=True)
class Step:
    """Where a climb has arrived, and how."""

    individual: Individual
    observation: Observation
    changed: tuple[InputKey, ...] = ()
    """The inputs of the last call that suggestions have changed."""
    told: tuple[str, ...] = ()
    """The values of these inputs that comparisons told."""
    stored: tuple[Stored, ...] = ()
    """What was put into rows first."""
    account: Account | None = None
    """The account that was made first, where that is another one than at the start."""

    @property
    def user(self) -> str | None:
        """Who sends the calls."""
        return self.individual.calls[-1].user

    @property
    def passed(self) -> frozenset[TargetId]:
        """Where checks of libraries have passed."""
        return passed_by(self.observation)


@dataclass(frozen=True)
class Ascent:
    """What came of a climb."""

    first: Step
    last: Step
    signed_at: frozenset[tuple[InputKey, TargetId]] = frozenset()
    """Inputs of which another value is wanted when something else changes, and where."""


class Suggestion(NamedTuple):
    """A test to look at, and what is new in it."""

    individual: Individual
    changed: tuple[InputKey, ...] = ()
    told: tuple[str, ...] = ()
    """The values of these inputs that comparisons told."""
    stored: tuple[Stored, ...] = ()
    """What is put into rows first."""
    account: Account | None = None
    """The account that is made first, where that is another one."""

    def step(self, before: Step, observation: Observation) -> Step:
        """Return where it has led, after what has led to `before`."""
        return Step(
            observation.individual,
            observation,
            (*before.changed, *self.changed),
            (*before.told, *self.told),
            (*before.stored, *self.stored),
            self.account or before.account,
        )


@dataclass(frozen=True)
class Rows:
    """The rows of databases, as far as a climb has to do with them."""

    texts: Callable[[], Collection[str]]
    """Which texts they hold."""
    attempt: Try
    caller: Caller = field(default_factory=Caller)
    """Who sends the calls, as far as that is known."""
    renewed: Callable[[Account], Account] = lambda account: account
    """Returns an account with all that is known by now of what it should hold."""
    owner: str | None = None
    """The user for looks alone, where an account of the caller is made first."""

    def attempt_with(
        self, stored: tuple[Stored, ...], account: Account | None = None
    ) -> str | None:
        """Make a user for looks alone of the same caller, with other rows or another account."""
        before = self.caller
        held = (*before.stored, *stored)
        return self.attempt(replace(before, stored=held, account=account or before.account))


NO_ROWS = Rows(tuple, no_users)


Looks = Generator[Individual, Observation, Ascent | None]


def _as_it_is(individual: Individual, _observation: Observation) -> Individual:
    return individual


class Climb:
    """Proposes looks at one endpoint, and takes in what they showed."""

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
        """What lets in elsewhere: tried as it is, before it is given another word."""
        self._turns_away = turns_away
        self._complete = complete
        self._avoided = avoided
        """What is sent by those who are known: another caller is looked for."""
        self._goal = goal
        """The code behind the door, where it is known."""
        self._rows = rows
        self._sign = sign
        """Lets the signatures of a test sign whatever becomes of it."""
        self._signatures: set[tuple[InputKey, TargetId]] = set()
        self._seen: set[object] = set()
        self._sent: set[Individual] = set()
        self.obstacle = ""
        """What the last look has compared last, and where; no values, which may be secrets."""
        self._left = MOST_LOOKS
        self._fruitless = 0

    def looks(self) -> Looks:
        """Yield tests, to be sent what each showed; return how far that led, None for nowhere."""
        roots = yield from self._look_at_roots()
        if not roots:
            return None
        if self._rows.owner is not None:
            roots = yield from self._as_owner(roots)
        started = roots[1:] if self._rows.owner is not None else roots
        stack = [(step, self._suggestions(step)) for step in started]
        best = roots[-1]
        if best.account and self._is_let_in(roots[0].observation, best.observation):
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
            if observation is not None and self._gets_further(observation):
                reached = found.step(step, observation)
                signed = self._sign(reached.individual, observation)
                reached = replace(reached, individual=signed)
                stack.append((reached, self._suggestions(reached)))
                is_let_in = self._is_let_in(roots[0].observation, observation)
                if is_let_in and (yield from self._fails_at_check(reached)):
                    continue
                best = reached if best.passed <= reached.passed else best
                if is_let_in:
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
        """Look once more with what is wanted by now in an input that had passed before.

        Where that very input has changed, it holds its own signature, and none of the request.
        """
        for key in dict.fromkeys(step.changed):
            for comparison in observation.guidance:
                place = (key, comparison.target)
                if comparison.relation == PASSED or comparison.target not in step.passed:
                    continue
                corrected = corrected_at(observation, *place, self._model, self._rng)
                again = None if corrected is None else (yield from self._look(corrected))
                if again is not None and comparison.target in passed_by(again):
                    if key not in changed:
                        self._signatures.add(place)
                    return again
        return observation

    def _look_at_roots(self) -> Generator[Individual, Observation, list[Step]]:
        """Look at the coloured call, and again with what it was seen to read meanwhile."""
        steps: list[Step] = []
        for _ in range(MOST_ROOTS):
            root = next((each for each in self._roots() if each not in self._sent), None)
            if root is None:
                break
            observation = yield from self._look(root)
            if observation is not None and (self._gets_further(observation) or not steps):
                steps.append(Step(root, observation))
            if self._keys and not self._is_refused(steps[0].observation):
                return []  # the keys that are known let in
        return steps

    def _as_owner(self, roots: list[Step]) -> Generator[Individual, Observation, list[Step]]:
        """Look at what the anonymous caller has sent as the owner of an account, too.

        The first step stays that of the anonymous caller: what an owner comes to is told by it.
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

    def _is_let_in(self, first: Observation, last: Observation) -> bool:
        if self._goal and not self._goal & last.reached:
            return False
        if len(self._base.calls) > 1 and is_taken(first.exchanges[-1], last.exchanges[-1]):
            return True
        if self._rows.caller.account is not None and turns_down(last.exchanges[-1]):
            return False
        fails = self._rows.owner is not None and first.exchanges[-1].crash is not None
        return (fails or self._is_refused(first)) and not self._is_refused(last)

    def _is_refused(self, observation: Observation) -> bool:
        """Say whether a look was turned away, or another token was wanted than the one it sent."""
        answer = observation.exchanges[-1]
        return self._turns_away(answer) or (turns_down(answer) and wants_token(observation))

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

    def _suggestions(self, step: Step) -> Iterator[Suggestion]:
        """Yield what the last comparisons suggest to send, the last one's suggestions first."""
        individual = step.individual
        yield from self._filled(step)
        hints = list(hints_of(individual, step.observation))
        whole = {hint.key for hint in hints if is_signed(hint.target)}
        whole = whole if sends_token(step.observation) else set()
        for hint in hints:
            if hint.value in self._avoided or (hint.key in whole and not is_signed(hint.target)):
                continue  # a part of a token that is changed breaks its signature
            changed = applied(individual, hint, self._model, self._rng)
            if changed is not None:
                if is_signed(hint.target) and changed.calls[-1].user is None:
                    # Only the application can sign it: what it leads to is no finding yet.
                    changed = changed.sent_by(self._rows.attempt(Caller()))
                told = () if is_signed(hint.target) else (str(hint.value),)
                yield Suggestion(changed, (hint.key,), told)
        last = len(individual.calls) - 1
        completed = self._complete(individual.calls[last])
        if completed != individual.calls[last]:
            changed_call = coloured_news(completed, individual.calls[last])
            yield Suggestion(individual.with_call(last, changed_call))
        yield from self._with_rows(step)
        yield from self._with_accounts(step)
        for changed_call, key in reshaped(
            individual.calls[last], step.observation.guidance, self._rng
        ):
            yield Suggestion(individual.with_call(last, changed_call), (key,))

    def _with_rows(self, step: Step) -> Iterator[Suggestion]:
        """Yield the test as a user in whose row the values stand that were computed."""
        for put in puts(step.individual, step.observation, self._rows.texts()):
            if put.old in self._avoided:
                continue
            user = self._rows.attempt_with((*step.stored, put), step.account)
            if user is not None:
                yield Suggestion(step.individual.sent_by(user), stored=(put,))

    def _filled(self, step: Step) -> Iterator[Suggestion]:
        """Yield the test with what an account was made with, where names say what is asked for."""
        account = step.account or self._rows.caller.account
        if account is None or step.user is None:
            return
        last = len(step.individual.calls) - 1
        call = self._complete(step.individual.calls[last])
        filled = filled_for(call, account)
        news = [one for one in filled.inputs if one not in call.inputs]
        if news:
            told = tuple(text for text in account.texts if text != account.password)
            keys = tuple(one.key for one in news)
            yield Suggestion(step.individual.with_call(last, filled), keys, told)

    def _with_accounts(self, step: Step) -> Iterator[Suggestion]:
        """Yield what may let in the owner of an account that is made first.

        That is what the account is made with, in the place of each other text, and the test with
        another account: where one of its values is compared, it is given the other one.
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
    """Say whether an answer says that the request was wrong, by its status."""
    return FIRST_REFUSAL <= exchange.status < FIRST_CRASH


def is_taken(first: Exchange, last: Exchange) -> bool:
    """Say whether a form that was wrong at first was taken, and leads elsewhere."""
    leads_elsewhere = FIRST_REDIRECT <= last.status < FIRST_REFUSAL
    return turns_down(first) and leads_elsewhere and not is_safe(last.request.endpoint)


def is_signed(target: TargetId) -> bool:
    """Say whether a comparison was one with a token that only the application can sign."""
    return target.startswith(SIGNED)


def sends_token(observation: Observation) -> bool:
    """Say whether a look has sent a JWT in the place of which another one was wanted."""
    signed = [one for one in observation.guidance if is_signed(one.target)]
    return any(str(one.observed).count(".") == 2 for one in signed)


def wants_token(observation: Observation) -> bool:
    """Say whether a look was told a token that would have passed in the place of what it sent."""
    return any(is_signed(each.target) for each in observation.guidance)


def obstacle_of(observation: Observation) -> str:
    """Return where a look has compared something last, and which inputs it has sent."""
    compared = [each for each in observation.guidance if each.relation in EQUALITIES]
    call = observation.individual.calls[-1]
    names = [given.name or given.location.value for given in call.inputs]
    if not compared or not names:
        return ""
    position = next((word for word in compared[-1].target.split(" ") if ":" in word), "")
    return f"{position} compares what is made of {', '.join(names)}" if position else ""


def passed_by(observation: Observation) -> frozenset[TargetId]:
    """Return where checks of libraries have passed."""
    return frozenset(each.target for each in observation.guidance if each.relation == PASSED)


def corrected_at(
    observation: Observation, key: InputKey, place: TargetId, model: EndpointModel, rng: Random
) -> Individual | None:
    """Return the test with what a check at `place` wanted in an input, None if it is there."""
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
    """Say whether a call got further after another one than it does `plain`.

    What the other call covers `alone` is none of its own.
    """
    if shown.exchanges[-1].status != plain.exchanges[-1].status:
        return True
    return bool(shown.reached - plain.reached - alone.reached)


def marks_of(observation: Observation) -> set[object]:
    """Return how far a call got: what it covered, which comparisons it came to, and with what."""
    marks: set[object] = set(observation.reached)
    for hint in hints_of(observation.individual, observation):
        marks.add((hint.target, hint.key, hint.value_path))
    for comparison in observation.guidance:
        kinds = _kind(comparison.observed), _kind(comparison.wanted)
        marks.add((comparison.target, comparison.relation, *kinds))
    return marks


def _kind(operand: object) -> tuple[str, bool]:
    """Return the type of an operand, and whether it is more than an empty text."""
    return type(operand).__name__, operand not in ("", b"")


def hints_of(individual: Individual, observation: Observation) -> Iterator[Hint]:
    """Yield what the last comparisons suggest for the last call."""
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
    """Yield the last test of a climb with another word in the place of each of its changes."""
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
    """Return what the climb has gained, and a test without one of its changes has not."""
    return sorted(gained(ascent) - observation.reached)


def gained(ascent: Ascent) -> frozenset[TargetId]:
    """Return the code that the last look has covered, and the first one has not."""
    return ascent.last.observation.reached - ascent.first.observation.reached
