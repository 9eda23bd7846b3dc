"""The HTTP problem: it samples, varies, recombines and learns about tests of calls."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.core.scores import COVERED
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.http.composing.composition import Composer
from pytest_evosearch.problem.http.composing.examples import ExampleTest
from pytest_evosearch.problem.http.composing.knowledge import Knowledge
from pytest_evosearch.problem.http.composing.mutation import Mutator
from pytest_evosearch.problem.http.composing.page_links import Leads
from pytest_evosearch.problem.http.composing.rows import RowComposer
from pytest_evosearch.problem.http.composing.rows import RowKind
from pytest_evosearch.problem.http.composing.sampling import Sampler
from pytest_evosearch.problem.http.composing.seeding import individuals_from
from pytest_evosearch.problem.http.composing.structure import StructureMutator
from pytest_evosearch.problem.http.doors.callers import Caller
from pytest_evosearch.problem.http.doors.doors import Doors
from pytest_evosearch.problem.http.doors.ways_in import WaysIn
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import is_safe
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.filling.call_maker import UNSUPPORTED_MEDIA_TYPE
from pytest_evosearch.problem.http.filling.conversions import ConversionWatcher
from pytest_evosearch.problem.http.filling.pool import Offers
from pytest_evosearch.problem.http.learning.answer_learning import AnswerLearner
from pytest_evosearch.problem.http.learning.challenges import learn_challenge
from pytest_evosearch.problem.http.learning.recombination import crossover
from pytest_evosearch.problem.http.learning.recombination import insert_actions
from pytest_evosearch.problem.http.learning.states import states_of
from pytest_evosearch.problem.http.learning.validations import ValidationLearner

MOST_CALLS = 10
"""Most calls of a test, as in the published settings of MIO."""


class HttpProblem:
    """Implements `problem.search_problem.Problem` for sequences of HTTP calls.

    All randomness comes from the `rng` argument of its methods, and all knowledge from `learn`. So
    equal calls in equal order give equal individuals.
    """

    def __init__(
        self,
        endpoints: Iterable[Endpoint],
        *,
        users: Sequence[str] = (),
        seeds: Mapping[str, Sequence[object]] | None = None,
        max_calls: int = MOST_CALLS,
        offers: Offers | None = None,
        rows: Iterable[RowKind] = (),
        first_answer: Callable[[str], object] | None = None,
    ) -> None:
        self._max_calls = max_calls
        self.known = known = Knowledge.of(endpoints, users, seeds, offers)
        """Knowledge of endpoints, values and users; learning changes its parts."""
        self._conversions = ConversionWatcher(known.model)
        self._validators = ValidationLearner(known.model)
        self._services = AnswerLearner(known.model, first_answer)
        self.ways_in = WaysIn()
        self._callers: dict[str, Caller] = {}
        self._trials: set[str] = set()
        self._doors = self._closed_doors(known, bool(users))
        self._leads = Leads(known.model, known.experience.recipes.is_clear)
        self.composer = composer = Composer(known)
        """Builds sequences of calls."""
        self._sampler = Sampler(known, composer, self._leads, max_calls)
        self.choose_user = self._sampler.choose_user
        """Draws a user, sometimes None for an anonymous caller."""
        structure = StructureMutator(known, self._sampler, composer, max_calls)
        self.rows = RowComposer(rows, known.targets.reached_by)
        """Adds rows to calls."""
        self._mutator = Mutator(known, structure, self.rows)

    def _closed_doors(self, known: Knowledge, users_are_known: bool) -> Doors:
        """Return what climbs endpoints that refuse."""
        return Doors(
            known.model,
            known.maker,
            known.experience,
            known.pool,
            known.catalog,
            self.ways_in,
            self._admit,
            self._attempt,
            known.tokens,
            known.addresses,
            users_are_known,
        )

    def individuals_from(self, tests: Iterable[ExampleTest]) -> Iterator[Individual]:
        """Yield individuals with the requests of the project's own tests."""
        return individuals_from(tests, self.known.model, self._max_calls)

    @property
    def surveyed(self) -> bool:
        """Whether every endpoint was visited or sampled."""
        return self._sampler.surveyed

    def visit(self, rng: Random) -> Individual | None:
        """Return the next test to try before random ones, None when there is none."""
        return self._sampler.visit(rng)

    def sample(self, rng: Random) -> Individual:
        """Return a fresh individual: the next of the systematic sweep, or a random sequence."""
        return self._sampler.sample(rng)

    def mutate(
        self, individual: Individual, rng: Random, focus: TargetId | None = None
    ) -> Individual:
        """Return a varied copy, aimed at `focus` if given."""
        return self._mutator.mutate(individual, rng, focus)

    def needs_guidance(self, individual: Individual) -> bool:
        """Say whether `learn` needs all comparisons of its last call."""
        return self._doors.awaits(individual) or self.known.experience.needs_guidance(individual)

    def corrected(self, evaluation: Evaluation[Individual], rng: Random) -> Individual | None:
        """Return a test with the signature that it lacked, or None."""
        observation = evaluation.observation
        if not isinstance(observation, Observation):
            return None
        return self._doors.corrected(observation, rng)

    def look_at_doors(self, rng: Random, pressing: bool) -> Individual | None:
        """Return the next close look at an endpoint that refuses callers, None when there is none.

        Without `pressing`, look at every endpoint that has not succeeded.
        """
        return self._doors.next_look(rng, pressing)

    @property
    def callers(self) -> Mapping[str, Caller]:
        """Callers whom the search found to be let in, by the names of their users."""
        return self._callers

    def welcome(self, callers: Mapping[str, Caller]) -> dict[str, str]:
        """Add callers whom another search has found; return their names in this search."""
        names = {}
        for theirs, caller in callers.items():
            known = next((name for name, one in self._callers.items() if one == caller), None)
            ours = known or self._admit(caller)
            if ours is not None:
                names[theirs] = ours
        return names

    def shut_out(self) -> str:
        """Say that no caller was let in, and what was compared; empty where one was."""
        return self._doors.shut_out()

    def is_trial(self, individual: Individual) -> bool:
        """Say whether the sender of a test is a user for looks only."""
        return any(call.user in self._trials for call in individual)

    def _attempt(self, caller: Caller) -> str | None:
        name = self.ways_in.attempt(caller)
        if name is not None:
            self._trials.add(name)
        return name

    def _admit(self, caller: Caller) -> str | None:
        name = self.ways_in.introduce(caller)
        if name is not None:
            self._callers[name] = caller
            self.known.maker.keys.users = True
            self._sampler.admit(name)
        return name

    def crossover(
        self, mother: Individual, father: Individual, rng: Random
    ) -> tuple[Individual, Individual]:
        """Return two children by single-point crossover; links stay inside their part."""
        return crossover(mother, father, rng, self._max_calls)

    def actions(self, individual: Individual) -> Sequence[str]:
        """Return the endpoint key of each call, in order."""
        return [call.endpoint for call in individual.calls]

    def insert_actions(
        self, receiver: Individual, donor: Individual, actions: frozenset[str], rng: Random
    ) -> Individual:
        """Return `receiver` with the donor's calls of these endpoints inserted at one place."""
        return insert_actions(receiver, donor, actions, rng, self._max_calls)

    def offers(self, individual: Individual | None, rng: Random) -> Sequence[str]:
        """Return the endpoints that can be called next; rarely those that froze."""
        return self._sampler.offers(individual, rng)

    def extend(self, individual: Individual | None, action: str, rng: Random) -> Individual:
        """Return `individual` with a call of the endpoint `action` and the calls that it needs."""
        return self._sampler.extend(individual, action, rng)

    def states(self, evaluation: Evaluation[Individual]) -> Sequence[str]:
        """Return, after each call, the endpoints that have changed something so far."""
        observation = evaluation.observation
        if not isinstance(observation, Observation):
            return ()
        return states_of(observation.exchanges, self.known.experience.outcomes)

    def learn(self, evaluation: Evaluation[Individual]) -> None:
        """Learn parameters, values, links, hints and impact from an executed individual."""
        individual = evaluation.individual
        if self.is_trial(individual):
            self._learn_trial(evaluation)
            return
        improved = self._note_scores(individual, evaluation.scores)
        mutation = self.known.targets.impact.take(individual)
        if mutation is not None:
            self.known.targets.impact.record(mutation, evaluation.scores, improved)
        observation = evaluation.observation
        if not isinstance(observation, Observation):
            return
        self._doors.learn(observation)
        successes = self.known.experience.learn(observation, improved)
        as_at_first = True
        for index, (call, exchange, success) in enumerate(
            zip(individual.calls, observation.exchanges, successes, strict=False)
        ):
            as_at_first = as_at_first and is_safe(call.endpoint)
            if exchange.outgoing and exchange.request.endpoint in self.known.model:
                self._learn_answers(individual, index, exchange)
            links = self._learn_exchange(call, exchange, success)
            if as_at_first:
                self._leads.follow(links, call.user)
        if observation.comparisons:
            self._conversions.learn(observation)
            best = self.known.targets.best
            comparisons = [
                comparison
                for comparison in observation.comparisons
                if best.get(comparison.target, 0.0) < COVERED
            ]
            self.known.targets.hints.learn(
                individual, observation.exchanges, comparisons, evaluation.scores
            )

    def _learn_trial(self, evaluation: Evaluation[Individual]) -> None:
        """Learn from a look in a changed database; it says nothing about other tests."""
        observation = evaluation.observation
        if isinstance(observation, Observation):
            self._doors.learn(observation)
            for exchange in observation.exchanges:
                if exchange.reads and exchange.request.endpoint in self.known.model:
                    self.known.model.learn(exchange)

    def _learn_answers(self, individual: Individual, index: int, exchange: Exchange) -> None:
        """Learn what services are asked; go on at once where a test lacked an answer."""
        call = individual.calls[index]
        continued = self._services.learn(call, exchange)
        if continued is not None and continued != call:
            self.known.experience.follow_up(individual.with_call(index, continued))

    def _learn_exchange(self, call: Call, exchange: Exchange, success: bool) -> Sequence[str]:
        """Learn from a response; return the application's addresses in it."""
        if exchange.request.endpoint not in self.known.model:
            return ()
        self.known.freezes.learn(exchange)
        self.known.tokens.gate.learn(exchange)
        if exchange.reads:
            self.known.model.learn(exchange)
        if exchange.validations:
            self._validators.learn(exchange)
        if exchange.response is None:
            return ()
        refused = not success and self.known.experience.outcomes.is_refused(exchange)
        if self.known.maker.unwelcome.learn(call, exchange.response.status, refused):
            self.known.model.note_change(call.endpoint)
        if learn_challenge(exchange, self.known.model):
            self.known.experience.seek_state(exchange.request.endpoint)
        news = self.known.catalog.learn(exchange)
        self.known.experience.follow(exchange.request.endpoint, self.known.catalog.led_to(news))
        links = self.known.pages.learn(exchange)
        if success:
            self.known.maker.note_success(call)
        kind = _body_kind(exchange)
        if kind is not None:
            self.known.maker.note_body(exchange.request.endpoint, kind, exchange.response.status)
        elif exchange.response.status == UNSUPPORTED_MEDIA_TYPE:
            # An empty form looks like no body at all.
            self.known.maker.note_body(
                exchange.request.endpoint, Location.FORM, UNSUPPORTED_MEDIA_TYPE
            )
            self.known.model.guess_bodies(exchange.request.endpoint)
        return links

    def _note_scores(self, individual: Individual, scores: Mapping[TargetId, float]) -> int:
        """Return how many targets improved; credit them to the endpoints of the test."""
        best = self.known.targets.best
        improved = 0
        self.rows.note_test()
        for target, score in scores.items():
            known = best.get(target)
            if known is None or score > known:
                best[target] = score
                improved += 1
                self.rows.note(target, individual.calls[-1].endpoint)
                self.known.targets.note_reaching(individual, target)
                if score >= COVERED:
                    self.known.targets.hints.forget(target)
        if improved:
            self._sampler.credit(individual.calls[-1].endpoint, improved)
        return improved


def _body_kind(exchange: Exchange) -> Location | None:
    request = exchange.request
    if request.has_json:
        return Location.JSON
    if request.form or request.files:
        return Location.FORM
    return Location.TEXT if request.text is not None else None
