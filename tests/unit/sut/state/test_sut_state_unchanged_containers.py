"""Comparing many containers at once: nothing that looking at each would notice is missed."""

from __future__ import annotations

import sys
from collections import defaultdict
from types import ModuleType
from typing import Any

import pytest

from pytest_evosearch.sut.state.globals_state import GlobalsKeeper
from pytest_evosearch.sut.state.unchanged_containers import GROUP
from pytest_evosearch.sut.state.unchanged_containers import Group
from pytest_evosearch.sut.state.unchanged_containers import comparison_of_lists
from pytest_evosearch.sut.state.unchanged_containers import comparison_of_mappings
from pytest_evosearch.sut.state.unchanged_containers import comparison_of_namespaces

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


@pytest.mark.parametrize("name", MAPPING_CHANGES)
@pytest.mark.parametrize("kind", [dict, lambda given: defaultdict(list, given)])
def test_a_change_of_one_mapping_shows(name: str, kind: Any) -> None:
    containers = [kind({"a": 1, "b": [2]}) for _ in range(9)]
    are_unchanged = comparison_of_mappings(containers, [dict(one) for one in containers])
    assert are_unchanged()
    MAPPING_CHANGES[name](containers[4])
    assert not are_unchanged()


@pytest.mark.parametrize("change", [[1, 2, 3], [True, 2], [2, 1], []])
def test_a_change_of_one_list_shows(change: list[object]) -> None:
    containers: list[list[object]] = [[1, 2] for _ in range(9)]
    are_unchanged = comparison_of_lists(containers, [list(one) for one in containers])
    assert are_unchanged()
    containers[4][:] = change
    assert not are_unchanged()


def test_what_moves_from_one_container_into_the_next_shows() -> None:
    containers = [[1, 2], [3]]
    are_unchanged = comparison_of_lists(containers, [list(one) for one in containers])
    containers[1].insert(0, containers[0].pop())
    assert not are_unchanged()


def test_a_name_that_is_bound_again_or_new_shows_in_modules_and_classes() -> None:
    module, klass = ModuleType("one"), type("One", (), {"seen": 0})
    vars(module)["FLAG"] = True
    for owner, name in ((module, "FLAG"), (klass, "seen")):
        values = {name: getattr(owner, name)}
        are_unchanged = comparison_of_namespaces([owner], [values], [len(vars(owner))])
        assert are_unchanged()
        setattr(owner, name, 5)
        assert not are_unchanged()
        setattr(owner, name, values[name])
        assert are_unchanged()
        owner.another = 1
        assert not are_unchanged()


def test_a_group_goes_on_without_what_has_changed() -> None:
    lists = [[number] for number in range(5)]
    copies = {id(one): list(one) for one in lists}
    group = Group(lists, lambda some: comparison_of_lists(some, [copies[id(one)] for one in some]))
    assert not group.suspects()
    lists[2].append(7)
    assert lists[2] in group.suspects()
    assert group.leave_out([]) == [lists[2]]
    assert not group.suspects()
    lists[3].clear()
    assert len(group.suspects()) == 4


def test_a_comparison_that_fails_makes_all_suspect() -> None:
    def fails(_members: object) -> Any:
        def compare() -> bool:
            raise RuntimeError

        return compare

    assert Group([1, 2], fails).suspects() == [1, 2]


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
