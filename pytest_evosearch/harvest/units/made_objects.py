"""What calls of a class, or of a function that makes objects, have given: what all of them hold.

An attribute says something that holds neither an argument, nor a default, nor what all objects
hold.  Where options are passed, those say something that differ without them.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice

from pytest_evosearch.harvest.units.unit_reduction import Execute
from pytest_evosearch.harvest.units.unit_variants import makers_of
from pytest_evosearch.problem.units.little_said import computed_attributes
from pytest_evosearch.problem.units.little_said import is_plainly_made
from pytest_evosearch.problem.units.little_said import reads_back
from pytest_evosearch.problem.units.results import End
from pytest_evosearch.problem.units.results import Instance
from pytest_evosearch.problem.units.results import Result
from pytest_evosearch.problem.units.unit import Kind
from pytest_evosearch.problem.units.unit import Unit
from pytest_evosearch.problem.units.unit import UnitTest
from pytest_evosearch.write.units.unit_specimen import UnitSpecimen

MOST_MADE = 12
"""Other objects of a class that tell which attributes are the same in all."""


class MadeObjects:
    """The objects that were made before, each class's when it is first asked for."""

    def __init__(
        self, known: Iterable[UnitTest], units: Mapping[str, Unit], execute: Execute
    ) -> None:
        self._makers = makers_of(known, units)
        self._units = units
        self._execute = execute
        self._made: dict[str, dict[str, Result]] = {}
        """Class or function -> arguments -> what they have given."""

    def is_plain(self, test: UnitTest, result: Result) -> bool:
        """Say whether an object shows nothing but what any object shows, and what was passed.

        So does a property that gives what its object was made of, or a default.
        """
        unit = self._units[test.act.unit]
        if unit.kind is Kind.PROPERTY and len(test) == 2:
            maker = UnitTest(test.calls[:1])
            return reads_back(maker, self._units[maker.act.unit], result)
        is_made = unit.kind is Kind.FUNCTION and isinstance(result.value, Instance)
        if result.end is not End.RETURNED or not (is_made or unit.kind is Kind.CLASS):
            return False
        return is_plainly_made(test, unit, result, self._others(test))

    def shortened(self, specimen: UnitSpecimen) -> UnitSpecimen:
        """Return a specimen with those attributes of an object that say something, if any do."""
        value = specimen.result.value
        if not isinstance(value, Instance) or value.is_refusal or len(value.attributes) < 2:
            return specimen
        names = self._names(specimen.test, value)
        kept = tuple(one for one in value.attributes if one[0] in names)
        told = replace(specimen.result, value=replace(value, attributes=kept))
        return replace(specimen, result=told) if kept else specimen

    def _names(self, test: UnitTest, value: Instance) -> list[str]:
        bare = test.bare()
        if bare.sent() != test.sent():
            last = self._execute(bare, apart=False)[0].last
            plain = last.value if last is not None else None
            if not isinstance(plain, Instance) or plain.kind != value.kind:
                return []
            held = {name: repr(one) for name, one in plain.attributes}
            return [name for name, one in value.attributes if held.get(name) != repr(one)]
        if self._units[test.act.unit].owner:
            return []
        others = [one.value for one in self._others(test)]
        return computed_attributes(test, self._units[test.act.unit], value, others)

    def _others(self, test: UnitTest) -> list[Result]:
        key = test.act.unit
        if key not in self._made:
            self._made[key] = {
                repr(one.sent()): run.results[-1]
                for one in islice(self._makers.get(key, ()), MOST_MADE)
                if (run := self._execute(one, apart=False)[0]).results
            }
        made, sent = self._made[key], repr(test.sent())
        is_only_one = not test.bare().act.values()  # nothing is required: all objects are like it
        return [one for given, one in made.items() if given != sent or is_only_one]
