"""Changes the structure of a test: which calls, in what order, by which users."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.problem.http.composing.composition import Composer
from pytest_evosearch.problem.http.composing.knowledge import Knowledge
from pytest_evosearch.problem.http.composing.sampling import Sampler
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.learning.recombination import adopted_block
from pytest_evosearch.problem.http.learning.recombination import without_call

_RELATED_SHARE = 0.7
"""How often an added call has the resource of an existing call."""

_REPEATED_SUCCESS_SHARE = 0.6
"""How often an added call repeats an earlier success."""


class StructureMutator:
    """Adds, removes, repeats and moves calls, inserts creating calls, and changes users."""

    def __init__(
        self, known: Knowledge, sampler: Sampler, composer: Composer, most_calls: int
    ) -> None:
        self._known = known
        self._sampler = sampler
        self._composer = composer
        self._most_calls = most_calls

    @property
    def matters(self) -> bool:
        """Whether one call can affect another at all, judged by methods."""
        return self._sampler.stateful

    def mutate(
        self, individual: Individual, rng: Random, focus: TargetId | None
    ) -> Individual | None:
        """Return a copy with another structure, or None when the drawn change is impossible."""
        changes: list[
            tuple[Callable[[Individual, Random, TargetId | None], Individual | None], float]
        ]
        changes = [(self._with_another_user, 0.5)]
        if len(individual) < self._most_calls:
            changes += [
                (self._with_added_call, 1.5),
                (self._with_preparation, 1.5),
                (self._with_repeated_call, 1.0),
            ]
        if len(individual) > 1:
            changes += [(self._with_removed_call, 2.0), (self._with_moved_call, 0.7)]
        if 1 < len(individual) <= self._most_calls // 2:
            changes.append((_with_another_round, 0.7))
        change = rng.choices([each for each, _ in changes], [weight for _, weight in changes])[0]
        return change(individual, rng, focus)

    def _with_added_call(
        self, individual: Individual, rng: Random, _focus: TargetId | None
    ) -> Individual | None:
        position = rng.randint(0, len(individual))
        key = self._choose_addition(individual, rng)
        return self._inserted(individual, position, key, rng)

    def _choose_addition(self, individual: Individual, rng: Random) -> str:
        if individual.calls and rng.random() < _RELATED_SHARE:
            siblings = self._known.experience.resources.siblings(
                rng.choice(individual.calls).endpoint
            )
            if siblings:
                return self._known.freezes.choose(siblings, rng)
        return self._known.freezes.choose(self._known.model.keys, rng)

    def _inserted(self, individual: Individual, position: int, key: str, rng: Random) -> Individual:
        user = self._user_of(individual, position, rng)
        call = None
        if rng.random() < _REPEATED_SUCCESS_SHARE:
            call = self._known.maker.repeat_success(key, rng, individual.next_label, user)
        if call is None:
            fullness = self._known.maker.draw_fullness(rng)
            call = self._known.maker.make(key, rng, individual.next_label, user, fullness)
        earlier, later = individual.calls[:position], individual.calls[position:]
        connected = self._known.linker.connected(call, earlier, rng)
        return Individual((*earlier, connected, *later))

    def _user_of(self, individual: Individual, position: int, rng: Random) -> str | None:
        if not individual.calls:
            return self._sampler.choose_user(rng)
        return individual.calls[min(position, len(individual) - 1)].user

    def _with_preparation(
        self, individual: Individual, rng: Random, _focus: TargetId | None
    ) -> Individual | None:
        """Insert a creating call right before a call that may use its result, and link them."""
        if not individual.calls:
            return None
        index = rng.randrange(len(individual))
        call = individual.calls[index]
        if call.endpoint not in self._known.model:
            return None
        producers = self._composer.producers_for(call.endpoint, call.user, rng)
        producers = producers or self._known.experience.resources.creators(call.endpoint)
        if not producers:
            return None
        changed = self._inserted(individual, index, rng.choice(producers), rng)
        linked = self._known.linker.connected(call, changed.calls[: index + 1], rng)
        return changed.with_call(index + 1, linked)

    def _with_repeated_call(
        self, individual: Individual, rng: Random, _focus: TargetId | None
    ) -> Individual | None:
        if not individual.calls:
            return None
        index = rng.randrange(len(individual))
        copy = replace(individual.calls[index], label=individual.next_label)
        position = rng.randint(index + 1, len(individual))
        return Individual((*individual.calls[:position], copy, *individual.calls[position:]))

    def _with_removed_call(
        self, individual: Individual, rng: Random, focus: TargetId | None
    ) -> Individual | None:
        """Remove a call; mostly spare one that reaches the focus target."""
        reaching = self._known.targets.reached_by.get(focus, {}) if focus is not None else {}
        weights = [0.2 if call.endpoint in reaching else 1.0 for call in individual.calls]
        return without_call(individual, rng.choices(range(len(individual)), weights)[0])

    def _with_moved_call(
        self, individual: Individual, rng: Random, _focus: TargetId | None
    ) -> Individual | None:
        first = rng.randrange(len(individual) - 1)
        second = rng.randrange(first + 1, len(individual))
        calls = list(individual.calls)
        calls[first], calls[second] = calls[second], calls[first]
        return Individual(tuple(calls))

    def _with_another_user(
        self, individual: Individual, rng: Random, _focus: TargetId | None
    ) -> Individual | None:
        changed = individual.sent_by(self._sampler.choose_user(rng))
        return changed if changed is not individual else None


def _with_another_round(
    individual: Individual, _rng: Random, _focus: TargetId | None
) -> Individual:
    """Do everything once more: two of a kind come to one state, such as two confirmed bookings."""
    calls = individual.calls
    return Individual((*calls, *adopted_block(calls, (), (), individual.next_label)))
