"""Tokens that responses of successful calls hold, sent where callers are refused."""

from __future__ import annotations

from collections.abc import Generator
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from itertools import product

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.doors.colouring import AUTHORIZATION
from pytest_evosearch.problem.http.doors.colouring import is_open
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import LinkGene
from pytest_evosearch.problem.http.exchanges.links import PrefixedGene
from pytest_evosearch.problem.http.filling.key_ring import KEY_LOCATIONS
from pytest_evosearch.problem.http.learning.experience import Experience
from pytest_evosearch.problem.http.learning.outcomes import FAILURE
from pytest_evosearch.problem.http.learning.producers import ProducerCatalog

MOST_TOKENS = 12
"""Most tests with a text of an earlier response that are tried at one endpoint."""


class IssuedTokens:
    """Tries texts of earlier responses in the inputs of a call that may hold a key."""

    def __init__(
        self, model: EndpointModel, experience: Experience, catalog: ProducerCatalog
    ) -> None:
        self._model = model
        self._experience = experience
        self._catalog = catalog

    def open_to(
        self, base: Individual, user: str | None, rng: Random
    ) -> Generator[Individual, Observation, bool]:
        """Send tokens, whatever their names; say whether one of them lets the caller in."""
        for individual in islice(self._with_tokens(base.calls[0], user, rng), MOST_TOKENS):
            observation = yield individual
            if len(observation.exchanges) == len(individual.calls):
                last = observation.exchanges[-1]
                if last.status and self._experience.outcomes.quality(last) != FAILURE:
                    return True
        return False

    def _with_tokens(self, call: Call, user: str | None, rng: Random) -> Iterator[Individual]:
        """Yield tests whose last call sends a text of an earlier response in one of its inputs."""
        places = [
            (*parameter.key, parameter.key == AUTHORIZATION)
            for parameter in self._model.endpoint(call.endpoint).parameters
            if parameter.location in KEY_LOCATIONS and is_open(parameter.gene)
        ]
        for producer in tuple(self._experience.changing):  # a look may make it known of others
            recipe = self._experience.recipes.draw(producer, user, rng)
            products = [one for one in self._catalog.products(producer) if not one.numeric]
            if recipe is None or producer == call.endpoint:
                continue
            issuing = Individual(recipe.calls).sent_by(user)
            for one, (location, name, is_bearer) in product(products[:MOST_TOKENS], places):
                link = LinkGene(issuing.calls[-1].label, one.selector, TextGene(current="a"))
                gene = PrefixedGene(link, "Bearer ") if is_bearer else link
                sent = replace(call, label=issuing.next_label, user=user)
                sent = sent.with_input(Input(location, name, gene))
                yield Individual((*issuing.calls, sent))
