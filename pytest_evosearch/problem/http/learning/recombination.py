"""Joins the calls of two tests without breaking their links."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.links import renamed


def crossover(
    mother: Individual, father: Individual, rng: Random, most_calls: int
) -> tuple[Individual, Individual]:
    """Return two children by single-point crossover on the call sequence."""
    cut_mother = rng.randint(0, len(mother))
    cut_father = rng.randint(0, len(father))
    first = _joined(mother.calls[:cut_mother], father, cut_father, mother, most_calls)
    second = _joined(father.calls[:cut_father], mother, cut_mother, father, most_calls)
    return first, second


def _joined(
    head: Sequence[Call], donor: Individual, start: int, whole: Individual, most_calls: int
) -> Individual:
    tail = adopted_block(donor.calls[start:], donor.calls[:start], head, whole.next_label)
    calls = (*head, *tail)[:most_calls]
    return Individual(calls).sent_by(calls[0].user) if calls else whole


def adopted_block(
    block: Sequence[Call], left_behind: Sequence[Call], before: Sequence[Call], label: int
) -> tuple[Call, ...]:
    """Return the donor's `block` with fresh labels, beginning with `label`.

    Links inside the block stay inside. A link to a call outside the block moves to the latest call
    of that endpoint in `before`, or is cut when there is none.
    """
    labels = {call.label: label + offset for offset, call in enumerate(block)}
    latest = {call.endpoint: call.label for call in before}
    for call in left_behind:
        if call.endpoint in latest:
            labels.setdefault(call.label, latest[call.endpoint])
    return tuple(relabelled(call, labels, labels[call.label]) for call in block)


def insert_actions(
    receiver: Individual,
    donor: Individual,
    actions: frozenset[str],
    rng: Random,
    most_calls: int,
) -> Individual:
    """Return `receiver` with the donor's calls of `actions` inserted at a random place.

    When both do not fit, the receiver's last calls are dropped.
    """
    block = [call for call in donor.calls if call.endpoint in actions][:most_calls]
    if not block:
        return receiver
    kept = receiver.calls[: most_calls - len(block)]
    position = rng.randint(0, len(kept))
    others = [call for call in donor.calls if call.endpoint not in actions]
    inserted = adopted_block(block, others, kept[:position], receiver.next_label)
    joined = Individual((*kept[:position], *inserted, *kept[position:]))
    return joined.sent_by(receiver.calls[0].user if receiver.calls else block[0].user)


def without_call(individual: Individual, index: int) -> Individual:
    """Return `individual` without one call; links to that call send their fallbacks."""
    calls = individual.calls
    return Individual((*calls[:index], *calls[index + 1 :]))


def relabelled(call: Call, labels: Mapping[int, int], label: int) -> Call:
    """Return `call` under a new label, with its links renamed; links to unknown labels are cut."""
    return replace(
        call,
        label=label,
        inputs=tuple(replace(given, gene=renamed(given.gene, labels)) for given in call.inputs),
    )
