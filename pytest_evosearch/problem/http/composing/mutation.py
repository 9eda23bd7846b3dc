"""Makes small changes of a test: of its calls, or of the inputs of one call."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.genes.base import ABSENT
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import replaced
from pytest_evosearch.genes.visit import leaves
from pytest_evosearch.genes.wrong import deliberately_wrong
from pytest_evosearch.problem.http.composing.knowledge import Knowledge
from pytest_evosearch.problem.http.composing.moving import moved
from pytest_evosearch.problem.http.composing.moving import steps_to
from pytest_evosearch.problem.http.composing.rows import RowComposer
from pytest_evosearch.problem.http.composing.structure import StructureMutator
from pytest_evosearch.problem.http.descriptions.parameters import BODY_LOCATIONS
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.json_places import innermost_name
from pytest_evosearch.problem.http.exchanges.json_places import json_name
from pytest_evosearch.problem.http.exchanges.links import LinkGene
from pytest_evosearch.problem.http.exchanges.links import is_linked
from pytest_evosearch.problem.http.exchanges.links import link_of
from pytest_evosearch.problem.http.filling.adoption import applied
from pytest_evosearch.problem.http.filling.impact import InputPlace
from pytest_evosearch.problem.http.filling.impact import Mutation

HINT_SHARE = 0.75
"""How often a mutation follows a fresh hint for the focus target."""

_STRAY_HINT_SHARE = 0.5
"""How often a mutation without a focus follows some hint of this individual."""

_MOVED_SHARE = 0.2
"""How often values move by what compared numbers or moments lack."""

_SECOND_CHANGE_SHARE = 0.15
_REACHING_WEIGHT = 6.0
"""Factor by which a call is chosen more often when its endpoint reaches the focus target."""

_LAST_WEIGHT = 8.0
"""Factor by which the last call is chosen more often: earlier calls mostly prepare it."""

_WRONG_TYPE_SHARE = 0.03
_EXTREME_SHARE = 0.03
_EXTREMES = (0, 1, -1, 2**31 - 1, -(2**31), 2**31, 2**63, 1e308, "inf", "-inf", "nan", "1e-320")
"""Numbers at which arithmetic changes its behaviour; the texts "nan" and "inf" parse as numbers."""

_POOL_SHARE = 0.2
_ANSWERS_SHARE = 0.5
"""How often a mutation first adds what services may answer, where it was learnt."""

_COPY_SHARE = 0.10
_TOGGLE_SHARE = 0.08
_LINK_SHARE = 0.35
_LINKED_INPUT_WEIGHT = 0.15
"""Weight of linked inputs: a link mostly carries a right value, so it is seldom cut."""


_COMPOSED = (Location.JSON, Location.FILE, Location.ROW, Location.ANSWER)
"""Kinds of inputs that hold more than one value."""


class Mutator:
    """Varies individuals, guided by hints, impact and knowledge of the focus target."""

    def __init__(self, known: Knowledge, structure: StructureMutator, rows: RowComposer) -> None:
        self._known = known
        self._structure = structure
        self._rows = rows

    def mutate(self, individual: Individual, rng: Random, focus: TargetId | None) -> Individual:
        """Return a changed copy; it equals the original only if nothing can change."""
        mutant, place = self._mutated(individual, rng, focus)
        score = 0.0 if focus is None else self._known.targets.best.get(focus, 0.0)
        self._known.targets.impact.expect(Mutation(mutant, focus, score, place))
        return mutant

    def _mutated(
        self, individual: Individual, rng: Random, focus: TargetId | None
    ) -> tuple[Individual, InputPlace | None]:
        if rng.random() < _ANSWERS_SHARE:
            individual = self._with_answers(individual, rng)
        arranged = self._rows.with_row(individual, rng, focus)
        if arranged is not None:
            return arranged, None
        changed = self._moved(individual, rng, focus)
        if changed is not None:
            return changed, None
        hinted = self._hinted(individual, rng, focus)
        if hinted is not None:
            return hinted
        if rng.random() < self._structure_share(individual):
            changed = self._structure.mutate(individual, rng, focus)
            if changed is not None:
                return changed, None
        return self._with_changed_data(individual, rng, focus)

    def _with_answers(self, individual: Individual, rng: Random) -> Individual:
        """Return a copy with answers to calls that were learnt since it was made."""
        for index, call in enumerate(individual.calls):
            if call.endpoint in self._known.model:
                individual = individual.with_call(index, self._known.maker.with_answers(call, rng))
        return individual

    def _structure_share(self, individual: Individual) -> float:
        """Return how often the structure changes: half the time where calls affect each other."""
        if not self._structure.matters:
            return 0.3 if len(individual) > 1 else 0.03
        base = 0.5 if len(individual) > 1 else 0.3
        return min(0.5, max(0.1, base * self._known.targets.impact.structure_advantage))

    def _moved(
        self, individual: Individual, rng: Random, focus: TargetId | None
    ) -> Individual | None:
        """Move values by what the compared ones lack, where they do."""
        if focus is None:
            return None
        evidence = self._known.targets.hints.evidence_for(focus, individual)
        steps = steps_to(evidence.comparisons) if evidence is not None else ()
        if evidence is None or not steps:
            return None
        return moved(evidence, steps, rng) if rng.random() < _MOVED_SHARE else None

    def _hinted(
        self, individual: Individual, rng: Random, focus: TargetId | None
    ) -> tuple[Individual, InputPlace] | None:
        target = focus
        share = HINT_SHARE
        if target is None:
            target = self._known.targets.hints.target_of(individual, rng)
            share = _STRAY_HINT_SHARE
        if target is None or rng.random() >= share:
            return None
        hint = self._known.targets.hints.draw(target, individual, rng)
        if hint is None:
            return None
        identity = hint.key
        if identity[0] is Location.JSON:
            identity = (Location.JSON, json_name(hint.value_path))
        elif identity[0] is Location.ANSWER:
            identity = (Location.ANSWER, json_name((hint.key[1], *hint.value_path)))
        self._known.pool.add_learnt(hint.endpoint, identity, hint.value)
        mutant = applied(individual, hint, self._known.model, rng)
        if mutant is None:
            return None
        return mutant, (hint.endpoint, hint.key)

    def _with_changed_data(
        self, individual: Individual, rng: Random, focus: TargetId | None
    ) -> tuple[Individual, InputPlace | None]:
        index = self._choose_call(individual, rng, focus)
        if index is None:
            changed = self._structure.mutate(individual, rng, focus)
            return (changed or individual), None
        call = individual.calls[index]
        changed_call, place = self._changed_call(individual, index, rng, focus)
        if rng.random() < _SECOND_CHANGE_SHARE and len(changed_call.inputs) > 1:
            between = individual.with_call(index, changed_call)
            changed_call, _ = self._changed_call(between, index, rng, focus)
        if changed_call == call:
            changed_call = self._resampled(call, rng)
        return individual.with_call(index, changed_call), place

    def _choose_call(
        self, individual: Individual, rng: Random, focus: TargetId | None
    ) -> int | None:
        calls = individual.calls
        known = self._known.targets.reached_by.get(focus, {}) if focus is not None else {}
        last = len(calls) - 1
        weights = [
            self._weight_of_call(call, known) * (_LAST_WEIGHT if index == last else 1.0)
            for index, call in enumerate(calls)
        ]
        if not any(weights):
            return None
        return rng.choices(range(len(calls)), weights)[0]

    def _weight_of_call(self, call: Call, known: Mapping[str, None]) -> float:
        changeable = bool(call.inputs) or (
            call.endpoint in self._known.model
            and bool(self._known.model.endpoint(call.endpoint).parameters)
        )
        if not changeable:
            return 0.0
        return _REACHING_WEIGHT if call.endpoint in known else 1.0

    def _changed_call(
        self, individual: Individual, index: int, rng: Random, focus: TargetId | None
    ) -> tuple[Call, InputPlace | None]:
        call = individual.calls[index]
        if call.inputs and rng.random() >= _TOGGLE_SHARE:
            given = self._choose_input(call, rng, focus)
            changed = self._changed_input(individual, index, given, rng, focus)
            return call.with_input(changed), (call.endpoint, given.key)
        return self._toggled(call, rng, focus)

    def _choose_input(self, call: Call, rng: Random, focus: TargetId | None) -> Input:
        inputs = call.inputs
        if len(inputs) == 1:
            return inputs[0]
        weights = [
            self._known.targets.impact.weight((call.endpoint, given.key), focus)
            * (_LINKED_INPUT_WEIGHT if _is_linked(given) else 1.0)
            for given in inputs
        ]
        return rng.choices(inputs, weights)[0]

    def _changed_input(
        self,
        individual: Individual,
        index: int,
        given: Input,
        rng: Random,
        focus: TargetId | None,
    ) -> Input:
        call = individual.calls[index]
        if given.location in (Location.ROW, Location.ANSWER):
            return given.with_gene(given.gene.mutate(rng, _strength(rng)))
        if index and rng.random() < _LINK_SHARE:
            linked = self._linked(individual, index, given, rng)
            if linked is not None:
                return linked
        chance = rng.random()
        if chance < _WRONG_TYPE_SHARE:
            wrong = deliberately_wrong(given.gene, rng)
            if given.location is not Location.PATH or wrong.value() is not ABSENT:
                return given.with_gene(wrong)
        chance -= _WRONG_TYPE_SHARE
        if chance < _EXTREME_SHARE and given.location is not Location.JSON:
            extreme = given.gene.adopt(rng.choice(_EXTREMES))
            if extreme is not None:
                return given.with_gene(extreme)
        chance -= _EXTREME_SHARE
        if chance < _POOL_SHARE:
            return self._from_pool(call, given, rng, focus)
        if chance < _POOL_SHARE + _COPY_SHARE:
            copied = _copied(individual, index, given, rng)
            if copied is not None:
                return copied
        return given.with_gene(given.gene.mutate(rng, _strength(rng)))

    def _linked(
        self, individual: Individual, index: int, given: Input, rng: Random
    ) -> Input | None:
        """Link an input to an earlier response where names suggest it, sometimes to any."""
        earlier = individual.calls[:index]
        call = individual.calls[index]
        if given.location is Location.JSON:
            return self._linked_leaf(call, given, earlier, rng)
        link = self._known.linker.link_for(call, given, earlier, rng)
        if link is None and rng.random() < 0.2:
            link = self._known.linker.any_link(given, earlier, rng)
        return None if link is None else given.with_gene(link)

    def _linked_leaf(
        self, call: Call, given: Input, earlier: Sequence[Call], rng: Random
    ) -> Input | None:
        places = [place for place in leaves(given.gene) if place[0]]
        if not places:
            return None
        value_path, gene_path, leaf = rng.choice(places)
        named = Input(Location.JSON, innermost_name(value_path), leaf)
        link = self._known.linker.link_for(call, named, earlier, rng)
        if link is None and rng.random() < 0.2:
            link = self._known.linker.any_link(named, earlier, rng)
        if link is None:
            return None
        return given.with_gene(replaced(given.gene, gene_path, link))

    def _from_pool(self, call: Call, given: Input, rng: Random, focus: TargetId | None) -> Input:
        if given.location is not Location.JSON:
            picked = self._known.maker.from_pool(
                call.endpoint, given.key, given.name, given.gene, rng, focus
            )
            return given if picked is None else given.with_gene(picked)
        places = list(leaves(given.gene))
        if not places:
            return given
        value_path, gene_path, leaf = rng.choice(places)
        identity = (Location.JSON, json_name(value_path))
        name = innermost_name(value_path)
        picked = self._known.maker.from_pool(call.endpoint, identity, name, leaf, rng, focus)
        return given if picked is None else given.with_gene(replaced(given.gene, gene_path, picked))

    def _toggled(
        self, call: Call, rng: Random, focus: TargetId | None
    ) -> tuple[Call, InputPlace | None]:
        """Add or remove one optional input, or choose another kind of body."""
        if call.endpoint not in self._known.model:
            return call, None
        parameters = [
            parameter
            for parameter in self._known.model.endpoint(call.endpoint).parameters
            if parameter.location is not Location.PATH
        ]
        if not parameters:
            return self._resampled(call, rng), None
        chosen = rng.choice(parameters)
        place = (call.endpoint, chosen.key)
        if any(given.key == chosen.key for given in call.inputs):
            return call.without_input(chosen.key), place
        made = self._known.maker.fill(call.endpoint, chosen, rng, focus=focus)
        if chosen.location in BODY_LOCATIONS:
            call = _without_other_bodies(call, chosen.location)
        return call.with_input(made), place

    def _resampled(self, call: Call, rng: Random) -> Call:
        """Draw one input afresh, after smaller changes had no effect."""
        if not call.inputs:
            return call
        given = rng.choice(call.inputs)
        return call.with_input(given.with_gene(given.gene.mutate(rng, 1.0)))


def _is_linked(given: Input) -> bool:
    return given.location is not Location.JSON and is_linked(given)


def _strength(rng: Random) -> float:
    """Draw the size of a change: mostly small, sometimes large."""
    return rng.random() ** 2


def _copied(individual: Individual, index: int, given: Input, rng: Random) -> Input | None:
    """Let two inputs hold one value: equal sides, repeated passwords, ids that agree."""
    if given.location is Location.JSON:
        return _copied_leaf(individual, index, given, rng)
    others = [
        other
        for call in individual.calls[: index + 1]
        for other in call.inputs
        if other is not given and other.location not in _COMPOSED
    ]
    if not others:
        return None
    other = rng.choice(others).gene
    link = link_of(other)
    if link is not None:
        return given.with_gene(link) if _earlier(individual, index, link) else None
    adopted = given.gene.adopt(other.value())
    return None if adopted is None or adopted == given.gene else given.with_gene(adopted)


def _earlier(individual: Individual, index: int, link: LinkGene) -> bool:
    return any(call.label == link.label for call in individual.calls[:index])


def _copied_leaf(individual: Individual, index: int, given: Input, rng: Random) -> Input | None:
    places = list(leaves(given.gene))
    sources: list[Gene] = [
        leaf
        for call in individual.calls[: index + 1]
        for other in call.inputs
        if other.location is not Location.FILE
        for _value_path, _gene_path, leaf in leaves(other.gene)
    ]
    if not places or len(sources) < 2:
        return None
    _value_path, gene_path, leaf = rng.choice(places)
    source = rng.choice(sources)
    link = link_of(source)
    if link is not None:
        if not _earlier(individual, index, link):
            return None
        return given.with_gene(replaced(given.gene, gene_path, link))
    adopted = leaf.adopt(source.value())
    if adopted is None or adopted == leaf:
        return None
    return given.with_gene(replaced(given.gene, gene_path, adopted))


def _without_other_bodies(call: Call, kept: Location) -> Call:
    form = (Location.FORM, Location.FILE)
    allowed = form if kept in form else (kept,)
    return replace(
        call,
        inputs=tuple(
            given
            for given in call.inputs
            if given.location not in BODY_LOCATIONS or given.location in allowed
        ),
    )
