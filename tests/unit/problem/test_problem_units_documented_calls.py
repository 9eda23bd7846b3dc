"""Calls of units in the examples of docstrings, and what the search makes of them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

import pytest

from pytest_evosearch.core.randomness import derive
from pytest_evosearch.genes.base import walk
from pytest_evosearch.genes.constructed import Made
from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.genes.constructed import built
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.minimize.ordinary import with_ordinary_values
from pytest_evosearch.minimize.reducible import simpler_tests
from pytest_evosearch.problem.units.arguments import Arguments
from pytest_evosearch.problem.units.arguments import Confirmation
from pytest_evosearch.problem.units.documented_calls import documented_calls
from pytest_evosearch.problem.units.documented_calls import documented_tests
from pytest_evosearch.problem.units.documented_calls import documented_values
from pytest_evosearch.problem.units.documented_calls import is_spelled
from pytest_evosearch.problem.units.inventory import units_of
from pytest_evosearch.problem.units.unit import Unit
from pytest_evosearch.problem.units.unit import UnitCall
from pytest_evosearch.problem.units.unit import UnitTest
from pytest_evosearch.problem.units.unit import by_key
from pytest_evosearch.problem.units.unit import size_of
from pytest_evosearch.problem.units.unit_problem import UnitProblem
from pytest_evosearch.problem.units.unit_problem import confirmation_of
from pytest_evosearch.standins.shape import Shape

SOURCE = '''
"""Numbers of books.

>>> compact("978-0-471")
'9780471'
>>> book_numbers.compact("1-85798", convert=True)
'185798'
>>> number = "12-3"
>>> print(compact(number))
123
>>> compact(unknown)
Traceback (most recent call last):
>>> "a-b".compact("no unit")
"""

def compact(number: str, convert: bool = False) -> str:
    return number.replace("-", "")

def is_valid(number: str) -> bool:
    return number.isdigit()

class Shelf:
    """
    >>> Shelf(3).add("Emma", at=1)
    >>> shelf = Shelf(width=5)
    >>> shelf.add("Ulysses")
    """
    def __init__(self, width: int) -> None:
        self.width = width

    def add(self, *titles: str, at: int = 0) -> None:
        pass

def checked(number):
    """
    >>> check("12 3")
    Traceback (most recent call last):
    ValueError: 12 3
    """
    raise ValueError(number)

check = checked
'''


@pytest.fixture
def units(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Mapping[str, Unit]:
    (tmp_path / "book_numbers.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(__import__("sys").modules, "book_numbers", raising=False)
    return by_key(units_of(["book_numbers"]))


def shown_by(units: Mapping[str, Unit]) -> list[UnitTest]:
    shown = documented_calls(units)
    arguments = Arguments(units, documented=documented_values(shown, units))
    return list(documented_tests(shown, units, arguments))


def test_the_calls_of_examples_are_read_with_their_literals(units: Mapping[str, Unit]) -> None:
    found = [one.calls for one in documented_calls(units)]

    assert [[values for _key, values in calls] for calls in found] == [
        [{"number": "978-0-471"}],
        [{"number": "1-85798", "convert": True}],
        [{"number": "12-3"}],
        [{"width": 3}, {"titles": ["Emma"], "at": 1}],
        [{"width": 5}, {"titles": ["Ulysses"]}],
        [{"width": 3}],
        [{"width": 5}],
        [{"number": "12 3"}],
    ]


def test_only_the_result_of_a_whole_example_is_that_of_its_call(
    units: Mapping[str, Unit],
) -> None:
    shown = {one.calls[-1][0]: one for one in documented_calls(units)}
    first = documented_calls(units)[0]

    assert [one.result for one in documented_calls(units)][:3] == ["'9780471'", "'185798'", ""]
    assert shown["book_numbers:checked"].result == ""
    assert is_spelled("9780471", first.result)
    assert is_spelled("9780471", '"9780471"')
    assert not is_spelled(9780471, first.result)
    assert not is_spelled("9780471", "a text")


def test_an_alias_stands_for_its_function(units: Mapping[str, Unit]) -> None:
    assert documented_calls(units)[-1].calls == (("book_numbers:checked", {"number": "12 3"}),)


def test_a_type_that_only_examples_show_is_sure_enough_for_errors_about_values(
    units: Mapping[str, Unit],
) -> None:
    arguments = Arguments(units, documented={"book_numbers:checked": {"number": ["12 3"]}})
    problem = UnitProblem(units, arguments, dict.fromkeys(units, ()))

    def shown_for(key: str, text: str) -> Confirmation:
        gene = TextGene(current=text)
        return confirmation_of(UnitTest((UnitCall(key, (("number", gene),)),)), problem)

    assert shown_for("book_numbers:is_valid", "") is Confirmation.TOLD
    assert shown_for("book_numbers:checked", "a") is Confirmation.USED
    assert shown_for("book_numbers:checked", "") is Confirmation.NONE


def test_a_documented_test_passes_exactly_what_the_example_passes(
    units: Mapping[str, Unit],
) -> None:
    passed = [test.act.values() for test in shown_by(units)]

    assert passed[:2] == [{"number": "978-0-471"}, {"number": "1-85798", "convert": True}]


def test_a_function_without_an_example_gets_what_others_get_of_the_same_name(
    units: Mapping[str, Unit],
) -> None:
    passed = [one.act.values() for one in shown_by(units) if one.act.unit.endswith("is_valid")]

    assert passed == [{"number": "978-0-471"}, {"number": "1-85798"}, {"number": "12-3"}]


def test_an_example_stays_as_it_is_and_is_preferred_to_an_invented_value(
    units: Mapping[str, Unit],
) -> None:
    test = shown_by(units)[0]
    ((place, gene),) = list(test.genes())[:1]
    varied = gene.mutate(derive(1, "examples"))

    assert [one.act.values() for one in simpler_tests(test)] == []
    assert with_ordinary_values(test, lambda _variant: True, 10) == test
    assert size_of(test) < size_of(test.with_gene(place, gene.sample(derive(1, "examples"))))
    assert varied.value() != gene.value()
    assert list(walk(gene)) == [((), gene)]


MEMBERS = '''
class members:
    """A class with the name of its module.

    >>> old, new = 1, 2
    >>> first = members("a")
    >>> first < members("b", 2)
    True
    >>> "a" in first
    True
    >>> len(first)
    1
    """

    def __init__(self, name: str, size: int = 1) -> None:
        self.name, self._size = name, size

    def __lt__(self, other: object) -> bool:
        return True

    def __contains__(self, name: str) -> bool:
        return name == self.name

    def __len__(self) -> int:
        return 1

    @property
    def size(self) -> int:
        """
        >>> members("a", 0).size
        0
        >>> members("a", 3).size
        3
        """
        return self._size

    @classmethod
    def split(cls, text: str) -> list[str]:
        """
        >>> members.split("a b")
        ['a', 'b']
        """
        return text.split()
'''


def test_operators_properties_and_class_methods_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "members.py").write_text(MEMBERS)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(__import__("sys").modules, "members", raising=False)
    found = {
        (one.calls[-1][0].rpartition(".")[2], repr(one.calls[-1][1])): one.result
        for one in documented_calls(by_key(units_of(["members"])))
    }

    other = Made(Named("members", "members"), ("b",), (("size", 2),))
    assert found["__lt__", repr({"other": other})] == "True"
    assert found["__contains__", "{'name': 'a'}"] == "True"
    assert found["__len__", "{}"] == "1"
    assert found["split", "{'text': 'a b'}"] == "['a', 'b']"


def test_examples_whose_result_says_something_come_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "members.py").write_text(MEMBERS)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(__import__("sys").modules, "members", raising=False)
    found = documented_calls(by_key(units_of(["members"])))

    assert [one.result for one in found if one.calls[-1][0].endswith(".size")] == ["3", "0"]


def test_a_method_without_an_example_gets_what_others_of_its_class_are_shown_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = (
        "class Numbers:\n"
        "    def __init__(self, salt=''):\n"
        "        self.salt = salt\n"
        "    def decode(self, text):\n"
        "        '''\n"
        "        >>> numbers = Numbers('salt')\n"
        "        >>> numbers.decode('1d62')\n"
        "        (1, 23)\n"
        "        '''\n"
        "        return tuple(text)\n"
        "    def decode_hex(self, text):\n"
        "        return self.decode(text) if text else ()\n"
        "    def encode(self, number):\n"
        "        return str(number)\n"
        "    @property\n"
        "    def size(self):\n"
        "        return len(self.salt)\n"
    )
    (tmp_path / "book_ids.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    units = by_key(units_of(["book_ids"]))

    shown = documented_calls(units)
    arguments = Arguments(units, documented=documented_values(shown, units))
    arguments.learn(units["book_ids:Numbers.decode_hex"], {"text": Shape("bool", uses=1)})

    tests = documented_tests(shown, units, arguments)
    passed = {test.act.unit: test.calls for test in tests}

    made, call = passed["book_ids:Numbers.decode_hex"]
    assert (made.values(), call.values()) == ({"salt": "salt"}, {"text": "1d62"})
    assert passed["book_ids:Numbers.size"][0].values() == {"salt": "salt"}
    assert "book_ids:Numbers.encode" not in passed


TIMES = '''
import datetime
def weeks(span):
    """
    >>> import datetime as dt
    >>> from decimal import Decimal as D
    >>> weeks(dt.timedelta(days=14))
    2
    >>> weeks([D("1.5"), dt.timedelta(7)])
    [0, 1]
    >>> weeks(dt.datetime.now())
    0
    """
    return span.days // 7
'''


def test_objects_of_standard_classes_are_read_as_literals_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "spans_of_time.py").write_text(TIMES)
    monkeypatch.syspath_prepend(tmp_path)
    units = by_key(units_of(["spans_of_time"]))
    shown = documented_calls(units)
    arguments = Arguments(units, documented=documented_values(shown, units))

    span = Named("datetime", "timedelta")
    days = Made(span, (), (("days", 14),))
    several = [Made(Named("decimal", "Decimal"), ("1.5",)), Made(span, (7,))]
    assert [one.calls[-1][1] for one in shown] == [{"span": days}, {"span": several}]
    ((_name, gene),) = arguments.call(units["spans_of_time:weeks"]).arguments
    assert isinstance(built(gene.sample(derive(1, "spans")).value()), timedelta)
