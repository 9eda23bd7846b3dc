"""Rows that a test puts into tables itself, where no call creates the rows that are needed.

    a target stays open for PATIENCE tests after a test last came nearer to it
        the tables that it waits for: those of its statement, or of all statements of the
        endpoint that reaches it
        the call gets a row of one of these tables as an input, after the rows that it refers to

A row is an input like any other: the search varies it, follows hints, simplifies and removes it.
"""

from __future__ import annotations

from collections.abc import Container
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.core.targets import GUIDES
from pytest_evosearch.core.targets import STATEMENT
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.core.targets import tables_of
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input

PATIENCE = 60
"""Number of tests in which only the application's own endpoints try to cover a target."""

ROW_SHARE = 0.25
"""How often a mutation for a waiting target adds a row."""

MOST_ROWS = 4
"""Most rows of one call."""


@dataclass(frozen=True)
class RowKind:
    """What a row of one table may contain."""

    name: str
    """Name of the model: ``shop.models.Item``."""
    table: str
    gene: Gene
    parents: tuple[str, ...] = ()
    """Models whose rows have to exist first."""


class RowComposer:
    """Adds rows to calls."""

    def __init__(
        self, kinds: Iterable[RowKind], reached_by: Mapping[TargetId, Mapping[str, None]]
    ) -> None:
        self._kinds = {kind.name: kind for kind in kinds}
        self._reached_by = reached_by
        self._tables: dict[str, dict[str, None]] = {}
        """Endpoint -> tables that its statements read."""
        self._approached: dict[TargetId, int] = {}
        self._tests = 0

    def note_test(self) -> None:
        """Count one test."""
        self._tests += 1

    def note(self, target: TargetId, endpoint: str) -> None:
        """Note that a call of an endpoint came nearer to a target."""
        if not self._kinds:
            return
        self._approached[target] = self._tests
        if kind_of(target) == STATEMENT:
            tables = self._tables.setdefault(endpoint, {})
            tables.update(dict.fromkeys(tables_of(target)))

    def with_row(
        self, individual: Individual, rng: Random, focus: TargetId | None
    ) -> Individual | None:
        """Return a copy with one more row, None where `focus` waits for no row."""
        if not self._kinds or focus is None or rng.random() >= ROW_SHARE:
            return None
        if self._tests - self._approached.get(focus, self._tests) < PATIENCE:
            return None
        reaching = self._reached_by.get(focus, {})
        places = [at for at, call in enumerate(individual.calls) if call.endpoint in reaching]
        if not places:
            return None
        call = individual.calls[places[-1]]
        kinds = self._kinds_for(focus, call)
        if not kinds:
            return None
        changed = self._added(call, rng.choice(kinds), rng)
        return None if changed is None else individual.with_call(places[-1], changed)

    def missing_from(
        self, call: Call, tables: Container[str], held: Mapping[str, object]
    ) -> Iterator[tuple[str, Call]]:
        """Yield the model of each table of which a call has no row, and the call with such a row.

        Attributes hold the values that are `held` under their names; those held under ``""`` are
        in all texts that take them.  Without a name, and at last, it is a row of each table.
        """
        present = _rows_of(call)
        missing = [one for one in self._kinds.values() if one.table in tables]
        missing = [one for one in missing if one.name not in present]
        for kind in missing:
            changed = self._storing([kind], call, held)
            if len(_rows_of(changed)) <= MOST_ROWS:
                yield kind.name, changed
        if len(missing) > 1:
            yield "", self._storing(missing, call, held)

    def _storing(self, kinds: Iterable[RowKind], call: Call, held: Mapping[str, object]) -> Call:
        """Return the call with rows of these kinds that hold values, after those that they need."""
        wanted = list(kinds)
        for kind in wanted:
            present = _rows_of(call)
            for one in self._with_parents(kind, present) if kind.name not in present else ():
                gene = _holding(one.gene, held) if one in wanted else one.gene
                call = call.with_input(Input(Location.ROW, _free_name(call, one.name), gene))
        return call

    def _kinds_for(self, focus: TargetId, call: Call) -> list[RowKind]:
        if kind_of(focus) in GUIDES:
            tables = dict.fromkeys(tables_of(focus))
        else:
            tables = self._tables.get(call.endpoint, {})
        return [kind for kind in self._kinds.values() if kind.table in tables]

    def _added(self, call: Call, kind: RowKind, rng: Random) -> Call | None:
        """Return the call with a row of a kind; rows that it refers to come first."""
        missing = self._with_parents(kind, _rows_of(call))
        if len(_rows_of(call)) + len(missing) > MOST_ROWS:
            return None
        for one in missing:
            given = Input(Location.ROW, _free_name(call, one.name), one.gene.sample(rng))
            call = call.with_input(given)
        return call

    def _with_parents(self, kind: RowKind, present: list[str]) -> list[RowKind]:
        needed = [kind]
        for one in needed:
            for name in one.parents:
                known = [*present, *(each.name for each in needed)]
                if name in self._kinds and name not in known:
                    needed.append(self._kinds[name])
        return needed[::-1]


def _holding(gene: Gene, held: Mapping[str, object]) -> Gene:
    """Return the gene of a row with values in the attributes that take them."""
    for name, part in gene.named_parts().items():
        wanted = held.get(name, held.get("") if isinstance(part.present(), TextGene) else None)
        row = gene.value()
        if wanted is not None and isinstance(row, dict):
            gene = gene.adopt({**row, name: wanted}) or gene
    return gene


def model_of(name: str) -> str:
    """Return the model of an input called ``shop.models.Item 2``."""
    return name.partition(" ")[0]


def _rows_of(call: Call) -> list[str]:
    return [model_of(given.name) for given in call.inputs if given.location is Location.ROW]


def _free_name(call: Call, name: str) -> str:
    count = _rows_of(call).count(name)
    return f"{name} {count + 1}" if count else name
