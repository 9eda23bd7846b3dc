from __future__ import annotations

import itertools
import random
from collections import Counter
from collections import OrderedDict
from collections import deque
from types import ModuleType

import pytest

from pytest_evosearch.sut.state.application_state import UNSPELLED
from pytest_evosearch.sut.state.globals_state import GlobalsKeeper


class Replaced:
    """Stands in the place of a function, as a tool of the search."""

    __module__ = "pytest_evosearch.execution.sleep"


def make_module(**values):
    module = ModuleType("kept_module")
    vars(module).update(values)
    return module


@pytest.fixture
def todo(load):
    return load("todo_memory")


def test_requests_leave_no_trace(todo):
    keeper = GlobalsKeeper([todo])
    keeper.snapshot()
    client = todo.app.test_client()
    first = client.post("/todos", json={"title": "a"}).json, client.get("/todos").json

    keeper.restore()
    again = client.post("/todos", json={"title": "a"}).json, client.get("/todos").json
    keeper.restore()

    assert again == first
    assert todo.TODOS == {1: {"title": "seed"}}
    assert todo.visits == 0
    assert todo.Statistics.total == 0
    assert todo.Statistics.history == []
    assert todo.statistics.seen == set()
    assert dict(todo.TAGS) == {}


@pytest.mark.parametrize(
    ("value", "change"),
    [
        ({"a": 1}, lambda value: value.pop("a")),
        ({"a": 1, "b": 2}, lambda value: value.update(value.pop("a") and {"a": 1})),
        ([1, 2], lambda value: value.append(3)),
        ([2, 1], lambda value: value.sort()),
        ({1, 2}, lambda value: value.discard(1)),
        (deque([1, 2]), lambda value: value.rotate()),
        (bytearray(b"ab"), lambda value: value.extend(b"c")),
        (Counter("ab"), lambda value: value.update("b")),
        (OrderedDict(a=1, b=2), lambda value: value.move_to_end("a")),
        ({"a": {"b": [1]}}, lambda value: value["a"]["b"].append(2)),
        (({"a": 1},), lambda value: value[0].clear()),
    ],
)
def test_containers_are_restored_in_place(value, change):
    module = make_module(VALUE=value)
    before = repr(value)
    keeper = GlobalsKeeper([module])
    keeper.snapshot()

    change(value)
    assert repr(value) != before
    keeper.restore()

    assert module.VALUE is value
    assert repr(value) == before


def test_rebound_new_and_deleted_globals():
    module = make_module(counter=0, cache=None)
    keeper = GlobalsKeeper([module])
    keeper.snapshot()

    module.counter = 7
    module.fresh = []
    del module.cache
    module.lazily_imported = random
    keeper.restore()

    assert (module.counter, module.cache) == (0, None)
    assert not hasattr(module, "fresh")
    assert module.lazily_imported is random


def test_counts_go_on_where_they_were():
    counter = itertools.count(3)
    module = make_module(ids=counter, draw=itertools.count(10, 2).__next__)
    next(counter)
    keeper = GlobalsKeeper([module])
    keeper.snapshot()

    for _ in range(2):
        assert (next(module.ids), next(module.ids)) == (4, 5)
        assert (module.draw(), module.draw()) == (10, 12)
        keeper.restore()


def test_own_instances_are_restored_and_foreign_ones_left_alone():
    class Store:
        def __init__(self):
            self.rows = [1]
            self.ids = itertools.count(1)

    class Slotted:
        __slots__ = ("rows",)

        def __init__(self):
            self.rows = 1

    Store.__module__ = Slotted.__module__ = "kept_module"
    foreign = ValueError("kept")
    module = make_module(store=Store(), slotted=Slotted(), foreign=foreign)
    store = module.store
    keeper = GlobalsKeeper([module])
    keeper.snapshot()

    store.rows.append(next(store.ids))
    store.extra = True
    module.slotted.rows = 2
    foreign.extra = True
    keeper.restore()

    assert module.store is store
    assert vars(store).keys() == {"rows", "ids"}
    assert store.rows == [1]
    assert next(store.ids) == 1
    assert module.slotted.rows == 1
    assert foreign.extra


def test_private_random_sources_repeat():
    module = make_module(source=random.Random(1))
    keeper = GlobalsKeeper([module])
    keeper.snapshot()
    first = module.source.random()
    keeper.restore()

    assert module.source.random() == first


def test_cycles_and_lazy_proxies_are_survived():
    class Explosive:
        @property
        def __class__(self):
            raise RuntimeError("woken")

    loop: list = []
    loop.append(loop)
    module = make_module(loop=loop, lazy=Explosive())
    keeper = GlobalsKeeper([module])
    keeper.snapshot()
    loop.append(1)
    keeper.restore()

    assert loop == [loop] or len(loop) == 1


def test_changed_places_name_what_moved(todo):
    keeper = GlobalsKeeper([todo])
    keeper.snapshot()
    todo.app.test_client().post("/todos", json={"title": "a"})
    keeper.restore()

    assert sorted(keeper.changed_places()) == [
        "todo_memory.Statistics.history",
        "todo_memory.Statistics.total",
        "todo_memory.TAGS",
        "todo_memory.TODOS",
        "todo_memory.next_id",
        "todo_memory.statistics",
    ]


def test_closures_of_views_come_back() -> None:
    module = ModuleType("closures_of_a_shop")
    source = """
def create_app():
    notes, number = {}, 0

    def write(text):
        nonlocal number
        number += 1
        notes[number] = text

    def view(text):
        write(text)
        return dict(notes), number

    return view
"""
    exec(source, vars(module))
    view = module.create_app()
    keeper = GlobalsKeeper([module], [(UNSPELLED, view)])
    keeper.snapshot()

    for text in ("a", "b", "c"):
        assert view(text) == ({1: text}, 1)
        keeper.restore()

    assert keeper.changed_places() == []


def test_names_with_underscores_on_both_sides_may_hold_state() -> None:
    module = make_module(
        __PARSERS__={"spaces": 1, "marks": 2}, __warningregistry__={}, __slotnames__=[]
    )
    keeper = GlobalsKeeper([module])
    keeper.snapshot()

    module.__PARSERS__["spaces"] = module.__PARSERS__.pop("spaces")
    module.__warningregistry__["told"] = True
    module.__slotnames__.append("of copyreg")
    keeper.restore()

    assert list(module.__PARSERS__) == ["spaces", "marks"]
    assert module.__warningregistry__ == {"told": True}
    assert module.__slotnames__ == ["of copyreg"]


def test_restored_places_name_what_has_moved_since_the_last_time() -> None:
    module = make_module(STOCK={}, TICKS=0, NAMES=[])
    keeper = GlobalsKeeper([module])
    keeper.snapshot()
    module.STOCK["pen"] = 1
    keeper.restore()
    module.TICKS = 5
    assert keeper.restored_places() == [f"{module.__name__}.TICKS"]
    assert keeper.restored_places() == []
    assert module.TICKS == 0
    assert sorted(keeper.changed_places()) == [
        f"{module.__name__}.STOCK",
        f"{module.__name__}.TICKS",
    ]


def test_what_the_search_puts_in_place_of_a_function_is_no_state():
    replaced = Replaced()
    keeper = GlobalsKeeper([make_module(sleep=replaced)])
    keeper.snapshot()
    replaced.slept = 1

    keeper.restore()

    assert replaced.slept == 1
    assert keeper.changed_places() == []
