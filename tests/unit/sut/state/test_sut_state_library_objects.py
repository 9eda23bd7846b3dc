from __future__ import annotations

import queue
import socket
import sys
from types import ModuleType
from typing import Any

import limits
import pytest
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from pytest_evosearch.sut.state.globals_state import GlobalsKeeper
from pytest_evosearch.sut.state.library_objects import LibraryObjects

LIBRARY = """
class Tally:
    __slots__ = ("counts", "last")
    def __init__(self):
        self.counts, self.last = {}, None
class Client:
    def __init__(self):
        self.sent, self.tally = [], Tally()
    def close(self):
        pass
class Front:
    def __init__(self, client):
        self.calls, self.tally, self.client = [], Tally(), client
"""

PROJECT = """
class Watch:
    pass
watch = Watch()
"""


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Any:
    module = ModuleType("tallies")
    monkeypatch.setitem(sys.modules, "tallies", module)
    exec(LIBRARY, vars(module))
    return module


def keeper_of(value: object) -> GlobalsKeeper:
    project = ModuleType("project")
    exec(PROJECT, vars(project))
    vars(project)["watch"].held = value
    keeper = GlobalsKeeper([project])
    keeper.snapshot()
    return keeper


def test_counts_of_a_rate_limiter_come_back() -> None:
    limiter = MovingWindowRateLimiter(MemoryStorage())
    keeper, often = keeper_of(limiter), limits.parse("2/hour")

    for _ in range(3):
        assert limiter.hit(often, "someone")
        assert limiter.hit(often, "someone")
        assert not limiter.hit(often, "someone")
        keeper.restore()


def test_attributes_and_slots_come_back(library: Any) -> None:
    tally = library.Tally()
    keeper = keeper_of([tally])

    tally.counts["a"], tally.last = 1, "a"
    keeper.restore()

    assert (tally.counts, tally.last) == ({}, None)


def test_what_waits_in_a_queue_is_state() -> None:
    waiting: queue.SimpleQueue[str] | queue.LifoQueue[str] = queue.LifoQueue()
    keeper = keeper_of(waiting)

    waiting.put("letter")
    keeper.restore()

    assert waiting.empty()


def test_a_client_and_what_leads_to_it_are_left_alone_and_data_beside_it_is_not(
    library: Any,
) -> None:
    front = library.Front(library.Client())
    keeper = keeper_of(front)

    front.calls.append("a")
    front.client.sent.append("a")
    front.client.tally.counts["a"] = 1
    front.tally.counts["a"] = 1
    keeper.restore()

    assert (front.calls, front.client.sent, front.client.tally.counts) == (["a"], ["a"], {"a": 1})
    assert front.tally.counts == {}


@pytest.mark.parametrize("value", [socket, {"a": 1}, 3, len, None])
def test_there_are_no_parts_in_plain_values(value: object) -> None:
    assert LibraryObjects().plain_parts(value) == []


def test_a_proxy_is_not_resolved() -> None:
    from werkzeug.local import LocalProxy

    def fail() -> None:
        raise AssertionError

    LibraryObjects().plain_parts([LocalProxy(fail)])
