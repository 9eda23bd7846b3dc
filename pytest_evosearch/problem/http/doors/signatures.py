"""Signatures of requests: where they are checked, and how a test gets the one that it lacks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.instrument.probing.weighing import SIGNED
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.doors.ascents import Ascent
from pytest_evosearch.problem.http.doors.clues import InputKey
from pytest_evosearch.problem.http.doors.clues import corrected_at
from pytest_evosearch.problem.http.doors.ways_in import WaysIn
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.signed_text import signed_text


class Signatures:
    """Knows which inputs sign the rest of a request, and renews them."""

    def __init__(self, model: EndpointModel, ways_in: WaysIn) -> None:
        self._model = model
        self._ways_in = ways_in
        self._checked: dict[str, list[tuple[InputKey, TargetId]]] = {}
        """Endpoint -> inputs that sign the rest of a request, and where each is checked."""

    def are_checked_by(self, endpoint: str) -> bool:
        """Say whether an endpoint is known to check a signature."""
        return endpoint in self._checked

    def resigned(self, comparison: Comparison) -> Iterator[Comparison]:
        """Yield tokens that were sent beside those with another claim, where one was compared."""
        for sent, token in self._ways_in.resign(comparison):
            yield Comparison(f"{SIGNED} {comparison.target}", "==", sent, token)

    def noted(self, ascent: Ascent) -> Ascent:
        """Return an ascent with signatures in place of values hashed with the application's key.

        Where there are any, the endpoint is known to check them from now on.
        """
        call = ascent.last.individual.calls[-1]
        signing = (one.key for one in call.inputs if self._ways_in.signs(str(one.gene.value())))
        places = ((key, place) for key in signing for place in ascent.last.passed)
        ascent = replace(ascent, signed_at=ascent.signed_at | frozenset(places))
        if ascent.signed_at:
            self._checked[call.endpoint] = sorted(ascent.signed_at)
        return ascent

    def corrected(self, observation: Observation, rng: Random) -> Individual | None:
        """Return a test with the signature that it lacked; None where none was required."""
        if not observation.guidance:
            return None
        for key, place in self._checked.get(observation.individual.calls[-1].endpoint, ()):
            corrected = corrected_at(observation, key, place, self._model, rng)
            if corrected is not None:
                return corrected
        return None

    def renewed(self, individual: Individual, observation: Observation) -> Individual:
        """Return a test with each signature renewed, where the way to sign is known."""
        last, request = len(individual.calls) - 1, observation.exchanges[-1].request
        for given in individual.calls[last].inputs:
            gene = given.gene
            if type(gene) is TextGene and self._ways_in.signs(str(gene.value())):
                way = self._ways_in.way_of(request, given.name)
                if way is not None:
                    signing = replace(gene, current=signed_text(gene.current, way))
                    call = individual.calls[last].with_input(replace(given, gene=signing))
                    individual = individual.with_call(last, call)
        return individual
