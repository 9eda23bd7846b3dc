"""The result of a climb: its first and last step, what it gained, and what it changed for that."""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import replaced
from pytest_evosearch.genes.visit import leaves
from pytest_evosearch.problem.http.doors.callers import Account
from pytest_evosearch.problem.http.doors.callers import Stored
from pytest_evosearch.problem.http.doors.clues import InputKey
from pytest_evosearch.problem.http.doors.clues import passed_checks
from pytest_evosearch.problem.http.doors.colouring import words
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input


@dataclass(frozen=True)
class Step:
    """A call that a climb has reached, and how."""

    individual: Individual
    observation: Observation
    changed: tuple[InputKey, ...] = ()
    """The inputs of the last call that suggestions have changed."""
    compared: tuple[str, ...] = ()
    """The values for these inputs that comparisons showed."""
    stored: tuple[Stored, ...] = ()
    """Values that were put into rows first."""
    account: Account | None = None
    """The account that was created first, where it differs from the one at the start."""

    @property
    def user(self) -> str | None:
        """The user who sends the calls."""
        return self.individual.calls[-1].user

    @property
    def passed(self) -> frozenset[TargetId]:
        """Places where checks of libraries have passed."""
        return passed_checks(self.observation)


@dataclass(frozen=True)
class Ascent:
    """The result of a climb."""

    first: Step
    last: Step
    signed_at: frozenset[tuple[InputKey, TargetId]] = frozenset()
    """Inputs whose required value depends on the rest of the request, and where each is checked."""

    @property
    def answer(self) -> Exchange:
        """Return the last exchange of the climb."""
        return self.last.observation.exchanges[-1]


def gained(ascent: Ascent) -> frozenset[TargetId]:
    """Return the code that the last look covered and the first one did not."""
    return ascent.last.observation.reached - ascent.first.observation.reached


def lost(ascent: Ascent, observation: Observation) -> Sequence[TargetId]:
    """Return what the climb gained and a test without one of its changes does not cover."""
    return sorted(gained(ascent) - observation.reached)


def with_keys(call: Call, keys: Mapping[tuple[Location, str], Gene]) -> Call:
    """Return `call` with credentials in their places."""
    for identity, gene in keys.items():
        call = call.with_input(Input(*identity, gene))
    return call


def with_spoilt_keys(
    ascent: Ascent, keys: Collection[tuple[Location, str]]
) -> Iterator[tuple[tuple[Location, str], Individual]]:
    """Yield the last test of a climb once for each change, with another word in its place."""
    individual = ascent.last.individual
    last = len(individual.calls) - 1
    call = individual.calls[last]
    for given in call.inputs:
        if given.key in keys:
            yield given.key, individual.with_call(last, call.with_input(_spoilt(given)))


def without_keys(ascent: Ascent, keys: Collection[tuple[Location, str]]) -> Individual:
    """Return the last test of a climb without the inputs `keys`."""
    individual = ascent.last.individual
    last = len(individual.calls) - 1
    call = individual.calls[last]
    for key in keys:
        call = call.without_input(key)
    return individual.with_call(last, call)


def _spoilt(given: Input) -> Input:
    gene = given.gene
    held = {str(leaf.value()) for _value_path, _gene_path, leaf in leaves(gene)}
    others = (word for word in words() if word not in held)
    for (_value_path, gene_path, leaf), word in zip(list(leaves(gene)), others, strict=False):
        adopted = leaf.adopt(word)
        if adopted is not None:
            gene = replaced(gene, gene_path, adopted)
    return replace(given, gene=gene)
