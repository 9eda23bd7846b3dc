"""The experience of the search: successes, refusals, and trials that follow from them."""

from __future__ import annotations

from collections import Counter
from collections import deque
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Sequence

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.problem.http.descriptions.endpoint_relations import Resources
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.endpoint import is_safe
from pytest_evosearch.problem.http.exchanges.endpoint import operation_of
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.links import linked_labels
from pytest_evosearch.problem.http.learning.admission import AdmissionBook
from pytest_evosearch.problem.http.learning.alike import Answer
from pytest_evosearch.problem.http.learning.learnt_refusals import redirected_to
from pytest_evosearch.problem.http.learning.outcomes import CLEAR_SUCCESS
from pytest_evosearch.problem.http.learning.outcomes import FAILURE
from pytest_evosearch.problem.http.learning.outcomes import MAILED_SUCCESS
from pytest_evosearch.problem.http.learning.outcomes import Outcomes
from pytest_evosearch.problem.http.learning.recipes import Recipe
from pytest_evosearch.problem.http.learning.recipes import RecipeBook
from pytest_evosearch.problem.http.learning.recipes import essence
from pytest_evosearch.problem.http.learning.recombination import without_call

MOST_TRIALS = 200
"""Most waiting trials; more would delay the search."""


STATE_REFUSALS = frozenset({404, 409, 412, 423, 428})
"""Statuses that blame stored state rather than the request."""


@dataclass(frozen=True)
class Extension:
    """A test to make: the successful calls of `base`, then a call of `key`."""

    base: str | None
    key: str


class Experience:
    """Learns from responses, and proposes trials that should follow at once.

    It tries a recipe without calls that may not be needed, and a new passport at every guarded
    endpoint.  After a first success it tries the endpoints that may depend on it.
    """

    def __init__(self, model: EndpointModel) -> None:
        self._model = model
        self._depths: dict[str, tuple[int, int]] = {}
        self.resources = Resources(model.endpoints)
        views = {
            endpoint.key: endpoint.view
            for endpoint in model.endpoints
            if not operation_of(endpoint.template)
        }
        self.outcomes = Outcomes(self.resources, views)
        self.recipes = RecipeBook()
        self.admission = AdmissionBook(model)
        self.changing: dict[str, int] = {}
        """Unsafe endpoints -> how surely they succeeded, in the order of discovery."""
        self.attempts: dict[str, Recipe] = {}
        """Endpoint without success -> the test whose last call got furthest."""
        self.holds_key: Callable[[Call], bool] = lambda _call: False
        """Says whether a call sends a credential that is known to work."""
        self.news: Counter[str] = Counter()
        """Endpoint without success -> how often a call of it got further than all before."""
        self._trials: deque[Individual | Extension] = deque()
        self._answered: deque[Individual] = deque()
        """Tests with answers of services that they have lacked."""
        self._stuck: dict[str, None] = {}
        """Endpoints without success after all suggestions were tried."""
        self._far: deque[Extension] = deque()
        self._extended: set[tuple[str | None, str]] = set()

    def next_trial(self) -> Individual | Extension | None:
        """Return the next trial that should precede all others, or None."""
        return self._trials.popleft() if self._trials else None

    def next_answered(self) -> Individual | None:
        """Return the next test with answers that it has lacked, or None."""
        return self._answered.popleft() if self._answered else None

    def needs_guidance(self, individual: Individual) -> bool:
        """Say whether a closer look at the last call may lead to its endpoint's first success."""
        if not individual.calls:
            return False
        key = individual.calls[-1].endpoint
        return len(individual) == 1 and self.outcomes.alike.wants_way(key)

    def next_far_trial(self) -> Extension | None:
        """Return an endpoint that fails whatever its input, to follow a success elsewhere.

        Every pair is proposed once: any success may create the state that the endpoint needs.
        """
        while self._far:
            trial = self._far.popleft()
            if trial.key not in self.recipes:
                return trial
        return None

    def _queue_far(self, bases: Iterable[str], keys: Iterable[str]) -> None:
        keys = list(keys)
        for base in bases:
            for key in keys:
                if base != key and (base, key) not in self._extended:
                    self._extended.add((base, key))
                    self._far.append(Extension(base, key))

    def learn(self, observation: Observation, improved: int) -> list[bool]:
        """Learn from the responses of one test; return which calls succeeded.

        `improved` is the number of targets that came closer.
        """
        individual, exchanges = observation.individual, observation.exchanges
        self._find_walls(exchanges)
        for index, exchange in enumerate(exchanges):
            is_stranger = index == 0 and not self.holds_key(individual.calls[0])
            self.outcomes.alike.learn(exchange, is_stranger)
        for answer in self.outcomes.alike.new_walls():
            self._forget(self.outcomes.alike.sharing(answer))
        qualities = [self.outcomes.quality(exchange) for exchange in exchanges]
        successes = [quality > FAILURE for quality in qualities]
        refusals = [
            not success and self.outcomes.is_refused(exchange)
            for success, exchange in zip(successes, exchanges, strict=True)
        ]
        for index, exchange in enumerate(exchanges):
            # A crash proves no admission: the check itself may have failed.
            status = exchange.status if exchange.crash is None else 0
            passport = self.admission.learn(individual, index, refusals[index], status)
            if passport is not None:
                self._try_passport(individual, index, successes)
            if successes[index]:
                led_to = redirected_to(exchange)
                recipe = self.recipes.learn(individual, index, qualities[index], led_to)
                if recipe is not None:
                    self._note_recipe(recipe, successes)
        for index in range(len(exchanges)):
            if not successes[index] and not refusals[index]:
                self._note_failure(observation, index, improved)
        return successes

    def _find_walls(self, exchanges: Iterable[Exchange]) -> None:
        """Find a page that many addresses redirect to: a redirect to it is no success."""
        for exchange in exchanges:
            page = self.outcomes.walls.learn(exchange)
            if page:
                self.admission.close(self.recipes.forget(page))

    def note_refusal(self, answer: Answer) -> None:
        """Note that a response refuses callers, though it may have looked like a success."""
        self._forget(self.outcomes.alike.note_refusal(answer))

    def _forget(self, keys: Sequence[str]) -> None:
        """Treat endpoints that seemed to succeed as guarded."""
        for key in keys:
            self.recipes.drop(key)
        self.admission.close(keys)

    def _note_failure(self, observation: Observation, index: int, improved: int) -> None:
        """Keep the test up to a call that failed, if it got furthest.

        Which targets came closer, and how far, is known of the last call; of others their reads
        are.
        """
        calls, exchange = observation.individual.calls[: index + 1], observation.exchanges[index]
        key = calls[-1].endpoint
        if key in self.recipes or exchange.frozen:
            return
        is_last = index == len(observation.exchanges) - 1
        read = len({(each.location, each.path) for each in exchange.reads})
        known = self._depths.get(key, (0, 0))
        # Where the code of this call was not recorded, its reads decide.
        depth = ((is_last and observation.reach) or known[0], read)
        is_news = key not in self.attempts or depth > known
        if depth < known or not (is_news or (is_last and improved)):
            return
        self.news[key] += is_news
        self._depths[key] = depth
        self.attempts[key] = Recipe(calls, FAILURE)
        if exchange.status in STATE_REFUSALS:
            self.seek_state(key)

    def seek_state(self, key: str) -> None:
        """Try an endpoint after every success of another one, now and in future."""
        self._stuck[key] = None
        self._queue_far(self.changing, [key])

    def way_to(self, key: str, user: str | None, rng: Random) -> Recipe | None:
        """Return how an endpoint succeeded, or how it last made progress."""
        return self.recipes.draw(key, user, rng) or self.attempts.get(key)

    def _note_recipe(self, recipe: Recipe, successes: Sequence[bool]) -> None:
        key = recipe.calls[-1].endpoint
        self.attempts.pop(key, None)
        changes = not is_safe(key) or recipe.quality == MAILED_SUCCESS
        if changes and recipe.quality > self.changing.get(key, FAILURE):
            # Calls that followed a doubtful success are tried again after a clear one.
            self.changing[key] = recipe.quality
            self._extended -= {pair for pair in self._extended if pair[0] == key}
            self._extend(key, recipe.quality)
            self._queue_far([key], self._stuck)
        self._stuck.pop(key, None)
        self._shorten(recipe.calls, successes)

    def _shorten(self, calls: Sequence[Call], successes: Sequence[bool]) -> None:
        """Try a recipe without calls that it may not need."""
        if len(calls) < 2:
            return
        kept = essence(Recipe(tuple(calls), CLEAR_SUCCESS), successes)
        if len(kept) < len(calls):
            self._queue(Individual(kept))
            return
        linked = {label for call in calls for label in linked_labels(call.inputs)}
        for index, call in enumerate(calls[:-1]):
            if call.label not in linked:
                self._queue(without_call(Individual(tuple(calls)), index))

    def _extend(self, key: str, quality: int) -> None:
        """Try endpoints that may depend on a first success of `key`."""
        followers = dict.fromkeys(self.resources.siblings(key))
        followers.update(dict.fromkeys(self._dependants(key)))
        if key in self.resources.registrations:
            followers.update(dict.fromkeys(self.resources.logins))
        elif (
            key in self.resources.logins
            or quality == MAILED_SUCCESS
            or self.outcomes.walls.stand_at(key)
        ):
            followers.update(dict.fromkeys(self.admission.guarded))
        self.follow(key, followers)

    def follow_up(self, individual: Individual) -> None:
        """Try a test with answers that it has lacked, once every endpoint was visited."""
        if len(self._answered) < MOST_TRIALS and individual not in self._answered:
            self._answered.append(individual)

    def follow(self, key: str, followers: Iterable[str]) -> None:
        """Try those of `followers` that never surely succeeded, after a call of `key`."""
        for follower in followers:
            if not self.recipes.is_clear(follower):
                self._queue_extension(key, follower)

    def _dependants(self, key: str) -> list[str]:
        return [each for each in self._model.keys if key in self.resources.creators(each)]

    def _try_passport(self, individual: Individual, index: int, successes: Sequence[bool]) -> None:
        self._shorten(individual.calls[: index + 1], successes)
        for key in self.admission.guarded:
            if key not in self.recipes:
                self._queue_extension(None, key)

    def _queue_extension(self, base: str | None, key: str) -> None:
        if base is None or (base, key) not in self._extended:
            self._extended.add((base, key))
            self._queue(Extension(base, key))

    def _queue(self, trial: Individual | Extension) -> None:
        if len(self._trials) < MOST_TRIALS and trial not in self._trials:
            self._trials.append(trial)
