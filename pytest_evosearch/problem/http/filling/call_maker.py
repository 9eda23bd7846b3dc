"""Makes one call with a value for each of its inputs."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import replace

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import replaced
from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.visit import find
from pytest_evosearch.genes.visit import leaves
from pytest_evosearch.problem.http.descriptions.parameters import BODY_LOCATIONS
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.descriptions.server_choices import fields_left_to_server
from pytest_evosearch.problem.http.descriptions.server_choices import is_left_to_server
from pytest_evosearch.problem.http.descriptions.service_answers import continued
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import Parameter
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.json_places import innermost_name
from pytest_evosearch.problem.http.exchanges.json_places import json_name
from pytest_evosearch.problem.http.exchanges.links import renamed
from pytest_evosearch.problem.http.exchanges.responses import MISSING
from pytest_evosearch.problem.http.filling.fullness import _DRAWN
from pytest_evosearch.problem.http.filling.fullness import PRESET
from pytest_evosearch.problem.http.filling.fullness import Fullness
from pytest_evosearch.problem.http.filling.fullness import belongs
from pytest_evosearch.problem.http.filling.fullness import body_of
from pytest_evosearch.problem.http.filling.fullness import is_sent
from pytest_evosearch.problem.http.filling.fullness import may_be_number
from pytest_evosearch.problem.http.filling.fullness import numeric_input
from pytest_evosearch.problem.http.filling.key_ring import KeyRing
from pytest_evosearch.problem.http.filling.pool import ValuePool
from pytest_evosearch.problem.http.filling.rejected_inputs import UnwelcomeInputs
from pytest_evosearch.problem.http.filling.sampled_answers import drawn_answer
from pytest_evosearch.problem.http.filling.sampled_answers import lacks_places
from pytest_evosearch.problem.http.filling.sampled_values import sampled

UNSUPPORTED_MEDIA_TYPE = 415

MOST_EXEMPLARS = 4
"""Most successful calls kept for each endpoint."""

EXEMPLARS_RENEWED_AFTER = 8
"""Successes between two that are kept, once an endpoint has enough of them."""

NUMERIC_CALLS_SHARE = 0.2
"""How often all texts of unknown meaning are numbers.

A handler that parses several of them only succeeds with numbers in all.
"""

UNWELCOME_LEFT_OUT = 0.9
"""How often a call omits an input for which callers were refused."""

_DEFAULT_SHARE = 0.12
_POOL_SHARE = 0.40
_LEAF_POOL_SHARE = 0.35
_VARIED_POOL_SHARE = 0.6
_GUESSED_WEIGHT = 0.15
_STORED_SHARE = 0.6
"""How often a value that starts as a default comes from the database."""


class CallMaker:
    """Draws calls: which inputs they send, and where the values come from."""

    def __init__(self, model: EndpointModel, pool: ValuePool) -> None:
        self._model = model
        self._pool = pool
        self._successes: dict[str, int] = {}
        self._exemplars: dict[str, deque[tuple[Input, ...]]] = {}
        self._body_weights: dict[tuple[str, Location], float] = {}
        self.unwelcome = UnwelcomeInputs()
        self.keys = KeyRing()

    def note_body(self, key: str, kind: Location, status: int) -> None:
        """Note how the endpoint responded to a body of this kind."""
        place = (key, kind)
        if 200 <= status < 300:
            self._body_weights[place] = min(self._body_weights.get(place, 1.0) + 1.0, 9.0)
        elif status == UNSUPPORTED_MEDIA_TYPE:
            self._body_weights[place] = max(self._body_weights.get(place, 1.0) / 2.0, 0.02)

    def note_success(self, call: Call) -> None:
        """Keep a few successful calls: their inputs are the best start for similar calls."""
        if not call.inputs:
            return
        count = self._successes[call.endpoint] = self._successes.get(call.endpoint, 0) + 1
        if count > MOST_EXEMPLARS and count % EXEMPLARS_RENEWED_AFTER:
            return
        inputs = tuple(given.with_gene(renamed(given.gene, {})) for given in call.inputs)
        self._offer(inputs)
        known = self._exemplars.setdefault(call.endpoint, deque(maxlen=MOST_EXEMPLARS))
        if inputs not in known:
            known.append(inputs)

    def _offer(self, inputs: Iterable[Input]) -> None:
        """Let other endpoints try accepted texts, by name."""
        for given in inputs:
            for value_path, _gene_path, leaf in leaves(given.gene):
                name = innermost_name(value_path) or given.name
                value = leaf.value()
                if name and isinstance(value, str) and value:
                    self._pool.add_seen(name, value)

    def repeat_success(
        self, key: str, rng: Random, label: int, user: str | None, varied: bool = False
    ) -> Call | None:
        """Return a call with the inputs of one that succeeded before, or None.

        With `varied`, one value is drawn anew.
        """
        known = self._exemplars.get(key)
        if not known:
            return None
        call = Call(key, rng.choice(known), label, user)
        return self.varied(call, rng) if varied else call

    def varied(self, call: Call, rng: Random) -> Call:
        """Return `call` with another value in one of its inputs."""
        if not call.inputs:
            return call
        given = rng.choice(call.inputs)
        places = list(leaves(given.gene))
        if not places:
            return call
        value_path, gene_path, leaf = rng.choice(places)
        identity, name = given.key, given.name
        if given.location is Location.JSON:
            identity = (Location.JSON, json_name(value_path))
            name = innermost_name(value_path)
        gene: Gene | None = None
        if rng.random() < _VARIED_POOL_SHARE:
            gene = self.from_pool(call.endpoint, identity, name, leaf, rng)
        gene = gene or leaf.mutate(rng, rng.random())
        return call.with_input(given.with_gene(replaced(given.gene, gene_path, gene)))

    def draw_fullness(self, rng: Random) -> Fullness:
        """Draw how many inputs a random call sends."""
        drawn = rng.random()
        for fullness, share in _DRAWN:
            drawn -= share
            if drawn < 0:
                return fullness
        return Fullness.MIXED

    def make(self, key: str, rng: Random, label: int, user: str | None, fullness: Fullness) -> Call:
        """Return a call of the endpoint `key`; `linking` adds links later."""
        endpoint = self._model.endpoint(key)
        body = self._choose_body(key, rng, fullness)
        inputs = []
        numeric = fullness in PRESET[1:] or rng.random() < NUMERIC_CALLS_SHARE
        keys = self.keys.held(fullness in PRESET, rng)
        for parameter in endpoint.parameters:
            if parameter.key in keys:
                inputs.append(Input(*parameter.key, keys[parameter.key]))
                continue
            if parameter.location in BODY_LOCATIONS and not belongs(parameter, body):
                continue
            if not is_sent(parameter, fullness, rng) or self._left_out(key, parameter, rng):
                continue
            if fullness is Fullness.FRESH and is_left_to_server(endpoint, parameter):
                continue
            if numeric and fullness is not Fullness.PLAIN and may_be_number(parameter):
                inputs.append(numeric_input(parameter, rng, fullness))
            else:
                inputs.append(self.fill(key, parameter, rng, fullness))
        return Call(key, tuple(inputs), label, user)

    def _left_out(self, key: str, parameter: Parameter, rng: Random) -> bool:
        """Draw whether to omit an input that has only led to refusals."""
        if parameter.required or not self.unwelcome.has(key, parameter.name):
            return False
        return rng.random() < UNWELCOME_LEFT_OUT

    def _choose_body(
        self, key: str, rng: Random, fullness: Fullness = Fullness.FULL
    ) -> Location | None:
        kinds = self._model.body_kinds(key)
        if fullness is Fullness.FRESH:  # a text has no fields to omit
            kinds = [kind for kind in kinds if kind is not Location.TEXT]
        if len(kinds) < 2:
            return kinds[0] if kinds else None
        weights = [self._body_weight(key, kind) for kind in kinds]
        return rng.choices(kinds, weights)[0]

    def _body_weight(self, key: str, kind: Location) -> float:
        """Return how likely a kind of body is right; a recorded read beats a guess."""
        known = self._body_weights.get((key, kind))
        if known is not None:
            return known
        parameter = self._model.parameter(key, (kind, ""))
        return _GUESSED_WEIGHT if parameter is not None and parameter.source == "guess" else 1.0

    def fill(
        self,
        key: str,
        parameter: Parameter,
        rng: Random,
        fullness: Fullness = Fullness.MIXED,
        focus: TargetId | None = None,
    ) -> Input:
        """Return an input for a parameter, with a value drawn according to `fullness`."""
        gene = self._drawn(key, parameter, rng, fullness, focus)
        return Input(parameter.location, parameter.name, gene)

    def _drawn(
        self,
        key: str,
        parameter: Parameter,
        rng: Random,
        fullness: Fullness,
        focus: TargetId | None,
    ) -> Gene:
        gene = parameter.gene
        if parameter.location is Location.ANSWER:
            drawn = drawn_answer(gene, rng, fullness in PRESET)
            if drawn is gene:
                return gene
            return self._with_learnt(key, parameter.name, drawn, rng, focus)
        if parameter.location is Location.JSON:
            return self._drawn_body(key, gene, rng, fullness, focus)
        if fullness in PRESET:
            return self._preset(key, parameter.key, parameter.name, gene, rng) or gene
        chance = rng.random()
        if chance < _DEFAULT_SHARE:
            return gene
        if chance < _DEFAULT_SHARE + _POOL_SHARE:
            picked = self.from_pool(key, parameter.key, parameter.name, gene, rng, focus)
            if picked is not None:
                return picked
        return sampled(gene, rng)

    def _preset(
        self, key: str, identity: tuple[Location, str], name: str, gene: Gene, rng: Random
    ) -> Gene | None:
        """Return the gene with a value that the user offers, or mostly one from the database."""
        value = self._pool.seeded(rng, key, identity, name)
        if value is MISSING and rng.random() < _STORED_SHARE:
            value = self._pool.stored(rng, name)
        return _adopted(gene, value)

    def completed(self, call: Call, rng: Random, whole: bool = False) -> Call:
        """Return `call` with the inputs that its endpoint takes; existing ones stay unchanged.

        With `whole`, none is left out.
        """
        known = {given.key: given for given in call.inputs}
        body = next((kind for kind in map(body_of, call.inputs) if kind is not None), None)
        body = body or self._choose_body(call.endpoint, rng)
        inputs = []
        for parameter in self._model.endpoint(call.endpoint).parameters:
            given = known.pop(parameter.key, None)
            if parameter.location in BODY_LOCATIONS and not belongs(parameter, body):
                continue
            filled = self.fill(call.endpoint, parameter, rng, Fullness.FULL)
            if given is None:
                if whole or not self._left_out(call.endpoint, parameter, rng):
                    inputs.append(filled)
            elif parameter.location is Location.JSON:
                inputs.append(replace(given, gene=_overlaid(filled.gene, given.gene)))
            else:
                inputs.append(given)
        return replace(call, inputs=(*inputs, *known.values()))

    def with_answers(self, call: Call, rng: Random) -> Call:
        """Return `call` with all answers of services that its endpoint is known to ask for."""
        for parameter in self._model.endpoint(call.endpoint).parameters:
            if parameter.location is Location.ANSWER:
                given = next((one for one in call.inputs if one.key == parameter.key), None)
                if given is None:
                    call = call.with_input(self.fill(call.endpoint, parameter, rng))
                elif lacks_places(given.gene, parameter.gene):
                    gene = continued(parameter.gene, given.gene, ())
                    call = call.with_input(given.with_gene(gene))
        return call

    def from_pool(
        self,
        key: str,
        identity: tuple[Location, str],
        name: str,
        gene: Gene,
        rng: Random,
        focus: TargetId | None = None,
    ) -> Gene | None:
        """Return the gene with a value of the pool, or None when none suits it."""
        value = self._pool.pick(rng, key, identity, name, gene, focus)
        return _adopted(gene, value)

    def _drawn_body(
        self, key: str, gene: Gene, rng: Random, fullness: Fullness, focus: TargetId | None
    ) -> Gene:
        if fullness is Fullness.FRESH:
            gene = gene.with_all_present().without_fields(fields_left_to_server(key, gene))
            return self._with_seeds(key, gene, rng)
        if fullness in PRESET:
            return self._with_seeds(key, gene.with_all_present(), rng)
        drawn = gene if rng.random() < _DEFAULT_SHARE else gene.sample(rng)
        if fullness is Fullness.RICH or (fullness is Fullness.MIXED and rng.random() < 0.4):
            drawn = drawn.with_all_present()
        for value_path, gene_path, leaf in list(leaves(drawn)):
            if value_path and rng.random() < _LEAF_POOL_SHARE:
                identity = (Location.JSON, json_name(value_path))
                name = innermost_name(value_path)
                picked = self.from_pool(key, identity, name, leaf, rng, focus)
                if picked is not None:
                    drawn = replaced(drawn, gene_path, picked)
        return drawn

    def _with_learnt(
        self, key: str, name: str, drawn: Gene, rng: Random, focus: TargetId | None
    ) -> Gene:
        """Put values into an answer that comparisons have shown for its places."""
        for value_path, gene_path, leaf in list(leaves(drawn)):
            if len(value_path) > 1 and rng.random() < _LEAF_POOL_SHARE:
                identity = (Location.ANSWER, json_name((name, *value_path)))
                inner = innermost_name(value_path)
                picked = self.from_pool(key, identity, inner, leaf, rng, focus)
                drawn = drawn if picked is None else replaced(drawn, gene_path, picked)
        return drawn

    def _with_seeds(self, key: str, gene: Gene, rng: Random) -> Gene:
        for value_path, gene_path, leaf in list(leaves(gene)):
            identity = (Location.JSON, json_name(value_path))
            seed = self._preset(key, identity, innermost_name(value_path), leaf, rng)
            if seed is not None:
                gene = replaced(gene, gene_path, seed)
        return gene


def _overlaid(body: Gene, known: Gene) -> Gene:
    """Return `body` with the leaves of `known` at their places."""
    for value_path, _gene_path, leaf in leaves(known):
        if isinstance(leaf, ObjectGene):  # an empty object, which may have gained fields since
            continue
        place = find(body, value_path)
        if place is None:
            return known
        body = replaced(body, place, leaf)
    return body


def _adopted(gene: Gene, value: object) -> Gene | None:
    return None if value is MISSING else gene.adopt(value)
