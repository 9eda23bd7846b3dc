"""Recipes: for each endpoint, the shortest calls after which it succeeded.

A deep state (an order that was paid, a page behind a log-in) is reached by a chain in which every
call has to succeed. A successful chain is kept as a whole, with its links. So later tests continue
from it, and do not draw the chain anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.problem.http.exchanges.endpoint import is_safe
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.links import linked_labels
from pytest_evosearch.problem.http.exchanges.links import takes_from_mail
from pytest_evosearch.problem.http.learning.learnt_refusals import Segments
from pytest_evosearch.problem.http.learning.outcomes import CLEAR_SUCCESS
from pytest_evosearch.problem.http.learning.recombination import relabelled

RECIPES_PER_ENDPOINT = 3
"""Most recipes of one endpoint with equal length, newest last."""


@dataclass(frozen=True)
class Recipe:
    """Calls of which the last one succeeded."""

    calls: tuple[Call, ...]
    quality: int
    """How surely the last call succeeded, see `outcomes.CLEAR_SUCCESS`."""
    led_to: Segments = ()
    """Where its response redirected to."""

    @property
    def user(self) -> str | None:
        """The user who sends the calls."""
        return self.calls[-1].user


class RecipeBook:
    """Keeps the shortest recipes of each endpoint, in the order of discovery."""

    def __init__(self) -> None:
        self._recipes: dict[str, list[Recipe]] = {}

    def __contains__(self, key: str) -> bool:
        return key in self._recipes

    def is_clear(self, key: str) -> bool:
        """Say whether an endpoint has surely succeeded."""
        return key in self and self._recipes[key][0].quality >= CLEAR_SUCCESS

    @property
    def keys(self) -> list[str]:
        """The endpoints that have succeeded."""
        return list(self._recipes)

    def learn(
        self, individual: Individual, index: int, quality: int, led_to: Segments = ()
    ) -> Recipe | None:
        """Note that the call at `index` succeeded; return the recipe if it is a better one."""
        calls = individual.calls
        key = calls[index].endpoint
        known = self._recipes.get(key)
        if known:
            best = known[0]
            if (quality, -index - 1) < (best.quality, -len(best.calls)):
                return None
            if (quality, -index - 1) == (best.quality, -len(best.calls)):
                if len(known) < RECIPES_PER_ENDPOINT:
                    self._add_variant(known, Recipe(calls[: index + 1], quality, led_to))
                return None
        recipe = Recipe(calls[: index + 1], quality, led_to)
        self._recipes[key] = [recipe]
        return recipe

    def forget(self, page: Segments) -> list[str]:
        """Drop the recipes that only redirected to a page; return their endpoints."""
        found = []
        for key, known in list(self._recipes.items()):
            kept = [recipe for recipe in known if recipe.led_to != page]
            if len(kept) < len(known):
                found.append(key)
            if kept:
                self._recipes[key] = kept
            else:
                del self._recipes[key]
        return found

    def drop(self, key: str) -> None:
        """Drop all recipes of an endpoint."""
        self._recipes.pop(key, None)

    def _add_variant(self, known: list[Recipe], recipe: Recipe) -> None:
        """Keep a recipe with other endpoints or another user beside the first one."""
        way = _way(recipe)
        if all(_way(each) != way for each in known):
            known.append(recipe)

    def draw(self, key: str, user: str | None, rng: Random) -> Recipe | None:
        """Return a recipe of an endpoint, one of `user` if there is any."""
        known = self._recipes.get(key)
        if not known:
            return None
        if len(known) == 1:
            return known[0]
        of_user = [recipe for recipe in known if recipe.user == user]
        return rng.choice(of_user or known)


def _way(recipe: Recipe) -> tuple[str | None, tuple[str, ...]]:
    return recipe.user, tuple(call.endpoint for call in recipe.calls)


def detached(call: Call, label: int, user: str | None) -> Call:
    """Return `call` under another label, with its links cut."""
    return replace(relabelled(call, {}, label), user=user)


def essence(recipe: Recipe, successes: Sequence[bool]) -> tuple[Call, ...]:
    """Return the calls that the last call most likely needs.

    Those are calls that it links to, directly or not, and calls that changed something, including a
    GET of a mailed address. This is a guess that only an execution can confirm.
    """
    needed = set(linked_labels(recipe.calls[-1].inputs))
    kept = [recipe.calls[-1]]
    for index in range(len(recipe.calls) - 2, -1, -1):
        call = recipe.calls[index]
        changes = successes[index] and (not is_safe(call.endpoint) or takes_from_mail(call))
        if changes or call.label in needed:
            kept.append(call)
            needed.update(linked_labels(call.inputs))
    return tuple(reversed(kept))


def spliced(
    present: Sequence[Call], recipe: Sequence[Call], following: Sequence[Call] = ()
) -> list[Call]:
    """Return the calls of `recipe` that `present` lacks, under new labels.

    The n-th call of an endpoint in the recipe matches the n-th call of it in `present`: one
    registration and one log-in serve a whole test. The calls `following` keep their labels.
    """
    there: dict[str, list[int]] = {}
    for call in present:
        there.setdefault(call.endpoint, []).append(call.label)
    label = max((call.label for call in (*present, *following)), default=0)
    labels: dict[int, int] = {}
    added: list[Call] = []
    for call in recipe:
        waiting = there.get(call.endpoint)
        if waiting:
            labels[call.label] = waiting.pop(0)
            continue
        label += 1
        labels[call.label] = label
        added.append(relabelled(call, labels, label))
    return added
