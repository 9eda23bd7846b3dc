"""Which attributes of a made object a test asserts, from scripted executions of a machine."""

from __future__ import annotations

from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.genes.optional import OptionalGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.harvest.units.made_objects import MadeObjects
from pytest_evosearch.problem.units.results import End
from pytest_evosearch.problem.units.results import Instance
from pytest_evosearch.problem.units.results import Result
from pytest_evosearch.problem.units.results import Run
from pytest_evosearch.problem.units.unit import Kind
from pytest_evosearch.problem.units.unit import Unit
from pytest_evosearch.problem.units.unit import UnitCall
from pytest_evosearch.problem.units.unit import UnitTest
from pytest_evosearch.write.units.unit_specimen import UnitSpecimen

UNITS = {
    "shop:Machine": Unit("shop", "Machine", Kind.CLASS),
    "shop:Machine.label": Unit("shop", "Machine.label", Kind.PROPERTY),
}


def machine(name: str, prepare: str | None = None) -> UnitTest:
    option = OptionalGene(TextGene(current=prepare or ""), prepare is not None)
    given = (("name", TextGene(current=name)), ("prepare", option))
    return UnitTest((UnitCall("shop:Machine", given),))


def result_of(test: UnitTest) -> Result:
    values = test.act.values()
    prepare = [values["prepare"]] if "prepare" in values else []
    letters = len(str(values["name"]))
    held = {"name": values["name"], "letters": letters, "prepare": prepare, "events": {}}
    return Result(End.RETURNED, Instance(Named("shop", "Machine"), tuple(held.items())))


def executed(test: UnitTest, apart: bool) -> tuple[Run, frozenset[TargetId]]:
    return Run([result_of(test)]), frozenset()


def shown(test: UnitTest, *known: UnitTest) -> list[str]:
    made = MadeObjects([test, *known], UNITS, executed)
    found = made.shortened(UnitSpecimen(test, UNITS, result_of(test))).result.value
    assert isinstance(found, Instance)
    return [name for name, _one in found.attributes]


def test_attributes_that_differ_without_the_options_are_asserted() -> None:
    assert shown(machine("a", prepare="b")) == ["prepare"]


def test_without_options_those_are_asserted_that_no_argument_and_not_all_objects_hold() -> None:
    assert shown(machine("abc"), machine("a")) == ["letters"]


def test_what_differs_only_by_options_of_other_objects_is_a_default() -> None:
    made = MadeObjects([machine("abc"), machine("xyz", prepare="b")], UNITS, executed)

    assert made.is_plain(machine("abc"), result_of(machine("abc")))


def test_a_property_that_reads_back_what_its_object_was_made_of_is_plain() -> None:
    made = MadeObjects([machine("abc")], UNITS, executed)
    test = UnitTest((*machine("abc").calls, UnitCall("shop:Machine.label")))

    assert made.is_plain(test, Result(End.RETURNED, "abc"))
    assert made.is_plain(test, Result(End.RETURNED, []))
    assert not made.is_plain(test, Result(End.RETURNED, "ABC"))
    assert not made.is_plain(test, Result(End.RETURNED, value=False))


def test_all_are_asserted_where_none_says_something() -> None:
    assert shown(machine("abc"), machine("xyz")) == ["name", "letters", "prepare", "events"]


def test_an_object_that_shows_what_was_passed_and_what_all_hold_is_plain() -> None:
    made = MadeObjects([machine("abc"), machine("xyz")], UNITS, executed)

    assert made.is_plain(machine("abc"), result_of(machine("abc")))
    assert not made.is_plain(machine("a", prepare="b"), result_of(machine("a", prepare="b")))
