"""One climb: from a refused call, led by its comparisons, to calls that get further.

    look at the call with a different word in each text
    while its last comparisons suggest something:
        follow the suggestion; continue from the call that gets further
    a call that fails for callers who are let in is looked at as it is, and varied by all of
    its comparisons and by likely values for the input that was read last

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
from dataclasses import replace
from functools import partial

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.instrument.probing.weighing import PASSED
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.doors.ascents import Ascent
from pytest_evosearch.problem.http.doors.ascents import Step
from pytest_evosearch.problem.http.doors.ascents import with_keys
from pytest_evosearch.problem.http.doors.clues import InputKey
from pytest_evosearch.problem.http.doors.clues import corrected_at
from pytest_evosearch.problem.http.doors.clues import crashes_at
from pytest_evosearch.problem.http.doors.clues import is_signed
from pytest_evosearch.problem.http.doors.clues import is_taken
from pytest_evosearch.problem.http.doors.clues import marks_of
from pytest_evosearch.problem.http.doors.clues import obstacle_of
from pytest_evosearch.problem.http.doors.clues import passed_checks
from pytest_evosearch.problem.http.doors.clues import turns_down
from pytest_evosearch.problem.http.doors.clues import wants_token
from pytest_evosearch.problem.http.doors.colouring import AUTHORIZATION
from pytest_evosearch.problem.http.doors.colouring import coloured
from pytest_evosearch.problem.http.doors.colouring import with_authorizations
from pytest_evosearch.problem.http.doors.exact_keys import crashes_alike
from pytest_evosearch.problem.http.doors.exact_keys import with_other_characters
from pytest_evosearch.problem.http.doors.suggestions import NO_ROWS
from pytest_evosearch.problem.http.doors.suggestions import Likely
from pytest_evosearch.problem.http.doors.suggestions import Rows
from pytest_evosearch.problem.http.doors.suggestions import Suggestion
from pytest_evosearch.problem.http.doors.suggestions import Suggestions
from pytest_evosearch.problem.http.doors.suggestions import no_hints
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual

MOST_LOOKS = 40
"""Most looks of one climb."""

FRUITLESS_LOOKS = 15
"""Looks without progress after which a climb ends."""

MOST_ROOTS = 8


Looks = Generator[Individual, Observation, Ascent | None]


def _as_it_is(individual: Individual, _observation: Observation) -> Individual:
    return individual


class Climb:
    """Proposes looks at one endpoint, and learns from their results."""

    _ends_at_hang = False
    """Whether a call that does not end is the last look: each takes its whole time limit."""

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
        begin: Callable[[Call], Call] | None = None,
        stopped: Callable[[Observation], bool] = lambda _look: False,
        likely: Likely = no_hints,
    ) -> None:
        self._base = base
        self._model = model
        self._rng = rng
        self._keys = keys
        """Keys that succeed elsewhere: tried unchanged, before another word replaces them."""
        self._turns_away = turns_away
        self._complete = complete
        self._stopped = stopped
        """Says whether a look did not enter the view of its last call."""
        self._begin = begin or complete
        """Returns a call with the inputs to begin with."""
        self._goal = goal
        """The code behind the check, where it is known."""
        self._rows = rows
        self._suggestions = Suggestions(model, rng, rows, complete, avoided, likely)
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
        best = roots[-1]
        if not (best.account and self._is_let_in([roots[0].observation], best.observation)):
            best = yield from self._rise(roots[0], best, self._suggestions.after, started)
        is_changed = best.changed or best.compared or best.stored or best.account
        return Ascent(roots[0], best, frozenset(self._signatures)) if is_changed else None

    def looks_at_failing(self) -> Looks:
        """Yield tests like the base, which fails, and return how far they led, as `looks` does."""
        self._ends_at_hang = True
        observation = yield from self._look(self._base)
        if observation is None:
            return None
        self._gets_further(observation)
        root = Step(self._base, observation)
        best = yield from self._rise(root, root, self._suggestions.likely_after, [root])
        return None if best is root else Ascent(root, best)

    def _rise(
        self,
        root: Step,
        best: Step,
        suggest: Callable[[Step], Iterator[Suggestion]],
        started: Sequence[Step],
    ) -> Generator[Individual, Observation, Step]:
        """Follow what is suggested for the steps `started`, and return the step reached."""
        stack = [(step, suggest(step)) for step in started]
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
                stack.append((reached, self._suggestions.after(reached)))
                before = root.observation, step.observation
                is_through = self._is_through(before, found, observation)
                # Another account leaves the keys as they were: code behind the check may crash.
                is_checked = is_through and found.account is None
                if is_checked and (yield from self._fails_at_check(reached)):
                    continue
                best = reached if best.passed <= reached.passed else best
                if is_through:
                    break  # what lies behind the door is for the search
        return best

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

        A look that did not enter its view was refused, whatever its status.  Code may crash when it
        reads a missing claim.
        """
        answer = observation.exchanges[-1]
        fails = turns_down(answer) and wants_token(observation)
        signed = (each.target for each in observation.guidance if is_signed(each.target))
        if self._turns_away(answer) or self._stopped(observation):
            return True
        return fails or any(map(partial(crashes_at, answer), signed))

    def _roots(self) -> Iterator[Individual]:
        last = len(self._base.calls) - 1
        plain = self._begin(self._base.calls[last])
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
        if self._ends_at_hang and any(one.frozen for one in observation.exchanges):
            self._left = 0
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
