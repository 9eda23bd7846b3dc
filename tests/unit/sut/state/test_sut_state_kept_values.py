"""Comparing many containers at once: nothing that looking at each would notice is missed."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections import defaultdict
from types import ModuleType
from typing import Any

import pytest

from pytest_evosearch.sut.state.globals_state import GlobalsKeeper
from pytest_evosearch.sut.state.kept_values import ELEMENTS
from pytest_evosearch.sut.state.kept_values import GROUP
from pytest_evosearch.sut.state.kept_values import LARGE
from pytest_evosearch.sut.state.kept_values import NAMES
from pytest_evosearch.sut.state.kept_values import Group
from pytest_evosearch.sut.state.kept_values import Kept

SOURCE = """
TABLES = [{"number": number, "tags": ["a"]} for number in range(1000)]
FLAG = True

class Counter:
    seen = 0

class Item:
    def __init__(self, number):
        self.number = number

ITEMS = [Item(number) for number in range(1000)]
"""


class Unequal:
    """An object that refuses to be compared."""

    def __eq__(self, other: object) -> bool:
        raise TypeError

    __hash__ = None  # type: ignore[assignment]


MAPPING_CHANGES: dict[str, Any] = {
    "another value": lambda one: one.update(a=2),
    "an equal value of another type": lambda one: one.update(a=True),
    "a new key": lambda one: one.update(c=1),
    "a key that is gone": lambda one: one.pop("a"),
    "another key": lambda one: one.update(c=one.pop("b")),
    "another order": lambda one: one.update(a=one.pop("a")),
    "a value that refuses": lambda one: one.update(a=Unequal()),
}


def group_of(base: type, containers: list[Any]) -> Group:
    kind = ELEMENTS[base]
    return Group([Kept(one, kind.copy(one), kind, "") for one in containers])


@pytest.mark.parametrize("name", MAPPING_CHANGES)
@pytest.mark.parametrize("kind", [dict, lambda given: defaultdict(list, given)])
def test_a_change_of_one_mapping_shows(name: str, kind: Any) -> None:
    containers = [kind({"a": 1, "b": [2]}) for _ in range(9)]
    group = group_of(dict, containers)
    assert group.is_unchanged()
    MAPPING_CHANGES[name](containers[4])
    assert not group.is_unchanged()


@pytest.mark.parametrize("change", [[1, 2, 3], [True, 2], [2, 1], []])
def test_a_change_of_one_list_shows(change: list[object]) -> None:
    containers: list[list[object]] = [[1, 2] for _ in range(9)]
    group = group_of(list, containers)
    assert group.is_unchanged()
    containers[4][:] = change
    assert not group.is_unchanged()


def test_what_moves_from_one_container_into_the_next_shows() -> None:
    containers = [[1, 2], [3]]
    group = group_of(list, containers)
    containers[1].insert(0, containers[0].pop())
    assert not group.is_unchanged()


@pytest.mark.parametrize("base", [dict, list, OrderedDict])
def test_of_a_large_container_number_and_last_element_are_looked_at(base: Any) -> None:
    one = base(zip(range(LARGE + 1), range(LARGE + 1), strict=True))
    group = group_of(base, [one])
    assert group.is_unchanged()
    last = one.popitem() if isinstance(one, dict) else one.pop()
    assert not group.is_unchanged()
    if isinstance(one, dict):
        one[last[0]] = "another"
        assert not group.is_unchanged()
    group.bring_back()
    assert group.is_unchanged()


def test_a_name_that_is_bound_again_or_new_shows_in_modules_and_classes() -> None:
    module, klass = ModuleType("one"), type("One", (), {"seen": 0})
    vars(module)["FLAG"] = True
    for owner, name in ((module, "FLAG"), (klass, "seen")):
        values = {name: getattr(owner, name)}
        group = Group([Kept(owner, values, NAMES, "")])
        assert group.is_unchanged()
        setattr(owner, name, 5)
        assert not group.is_unchanged()
        setattr(owner, name, values[name])
        assert group.is_unchanged()
        owner.another = 1
        assert not group.is_unchanged()


def test_a_group_goes_on_without_what_has_changed() -> None:
    lists = [[number] for number in range(5)]
    group = group_of(list, lists)
    assert group.is_unchanged()
    lists[2].append(7)
    (alone,) = group.divided()
    assert alone.members[0].container is lists[2]
    assert group.is_unchanged()
    assert not alone.is_unchanged()
    alone.bring_back()
    assert lists[2] == [2]
    assert alone.is_unchanged()


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = ModuleType("large_application")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(SOURCE, vars(module))
    return module


def test_a_large_program_comes_back_whatever_changes_time_and_again(large: Any) -> None:
    keeper = GlobalsKeeper([large])
    keeper.snapshot()
    first = large.TABLES[0]
    for number in range(3):
        large.TABLES[GROUP]["tags"].append("b")
        large.TABLES[number]["number"] = -1
        large.TABLES.pop()
        large.ITEMS[number + GROUP].number = True
        large.FLAG = 1
        large.Counter.seen += 1
        large.LATER = []
        keeper.restore()
        assert [one["number"] for one in large.TABLES] == list(range(1000))
        assert all(one["tags"] == ["a"] for one in large.TABLES)
        assert [one.number for one in large.ITEMS] == list(range(1000))
        assert large.FLAG is True
        assert large.Counter.seen == 0
        assert not hasattr(large, "LATER")
    assert large.TABLES[0] is first
    assert "large_application.FLAG" in keeper.changed_places()


def test_what_is_not_brought_back_spoils_no_group(large: Any) -> None:
    keeper = GlobalsKeeper([large])
    keeper.snapshot()
    large.sys = sys  # a module is no state: it stays
    keeper.restore()
    assert large.sys is sys
    large.FLAG = False
    keeper.restore()
    assert large.FLAG is True
