"""Objects that this run has made, and texts that its code matches: what later tests pass first."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import replaced
from pytest_evosearch.genes.base import walk
from pytest_evosearch.genes.constructed import MadeGene
from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.genes.constructed import resolved
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.problem.units.arguments import Arguments
from pytest_evosearch.problem.units.inventory import constructing_units
from pytest_evosearch.problem.units.matched_texts import Place
from pytest_evosearch.problem.units.results import End
from pytest_evosearch.problem.units.results import Run
from pytest_evosearch.problem.units.unit import Kind
from pytest_evosearch.problem.units.unit import Unit
from pytest_evosearch.problem.units.unit import UnitCall
from pytest_evosearch.problem.units.unit import UnitTest
from pytest_evosearch.problem.units.unit import made_of

MOST_OBJECTS = 8
"""Most objects of one class that are kept; later ones replace the second half."""

MADE_BEFORE = 0.6
"""How often an object in a fresh test is one that this run has made before."""

OBJECT = "something"
"""What the outline of a call says that gave an object."""


class KnownObjects:
    """Calls that gave an object of a class, which later tests repeat."""

    def __init__(self, units: Mapping[str, Unit], arguments: Arguments) -> None:
        self._units = units
        self._arguments = arguments
        self._makers = dict(self._find_makers())
        """Unit -> the class of which it gives an object."""
        self._known: dict[str, dict[str, UnitCall]] = {}
        self._matched: set[tuple[str, str, str]] = set()
        self._waiting: deque[tuple[Place, str]] = deque()

    def _find_makers(self) -> Iterator[tuple[str, str]]:
        for unit in self._units.values():
            kind = resolved(Named(unit.module, unit.name)) if unit.kind is Kind.CLASS else None
            if unit.made_by:
                yield from ((key, unit.key) for key in unit.made_by)
            elif isinstance(kind, type):
                yield unit.key, unit.key
                yield from ((one.key, unit.key) for one in constructing_units(kind))

    def learn(self, test: UnitTest, run: Run) -> None:
        """Keep the object that a test has made, and the patterns that its arguments met."""
        first = run.results[0] if run.results else None
        maker = self._makers.get(test.calls[0].unit)
        is_made = first is not None and first.end is End.RETURNED and not run.harm
        if maker and is_made and (len(test) > 1 or (first and first.outline == OBJECT)):
            known = self._known.setdefault(maker, {})
            known.setdefault(repr(test.calls[0].values()), test.calls[0])
            if len(known) > MOST_OBJECTS:
                del known[list(known)[MOST_OBJECTS // 2]]
        for one in run.comparisons:
            if one.relation == "match" and isinstance(one.wanted, str):
                self._note_match(test, one)

    def _note_match(self, test: UnitTest, comparison: Comparison) -> None:
        for unit, name, value in self._given(test):
            met = unit.key, name, str(comparison.wanted)
            if value == comparison.observed and met not in self._matched:
                self._matched.add(met)
                self._waiting += self._arguments.matched.note(unit, name, met[2])

    def untried(self) -> UnitCall | None:
        """Return a call of a function or class with a text that matches, which was not tried."""
        while self._waiting:
            (unit, name), text = self._waiting.popleft()
            if not unit.owner:
                return self.with_text(unit, name, text)
        return None

    def with_text(self, unit: Unit, name: str, text: str) -> UnitCall:
        """Return a call that passes a text for one parameter, and what else is required."""
        arguments = self._arguments
        given = [
            (key, arguments.passing(unit, key, text) if key == name else gene.left_out())
            for key, gene in arguments.call(unit).arguments
        ]
        return UnitCall(unit.key, tuple(given))

    def _given(self, test: UnitTest) -> Iterator[tuple[Unit, str, object]]:
        """Yield unit, parameter and value of each argument, also of objects in arguments."""
        for call in test.calls:
            for name, gene in call.arguments:
                yield self._units[call.unit], name, gene.value()
                for _path, one in walk(gene):
                    if isinstance(one, MadeGene) and (unit := self._unit_of(one)) is not None:
                        names = [each.name for each in unit.parameters if not each.is_variable]
                        values = (part.value() for _key, part in one.parts)
                        yield from ((unit, *pair) for pair in zip(names, values, strict=False))

    def _unit_of(self, gene: MadeGene) -> Unit | None:
        return self._units.get(f"{gene.function.module}:{gene.function.name}")

    def calls(self, key: str) -> Sequence[UnitCall]:
        """Return the calls that gave an object of a class."""
        return list(self._known.get(key, {}).values())

    def placed(self, gene: Gene, rng: Random) -> Gene:
        """Return a gene with objects that were made before, in the place of fresh ones."""
        for path, one in walk(gene):
            if isinstance(one, MadeGene) and (unit := self._unit_of(one)) is not None:
                known = self.calls(self._makers.get(unit.key, ""))
                if known and rng.random() < MADE_BEFORE:
                    call = rng.choice(known)
                    return replaced(gene, path, made_of(self._units[call.unit], call.arguments))
        return gene
