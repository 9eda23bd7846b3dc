from __future__ import annotations

import math

from pytest_evosearch.harvest.allotment import Allotment


def test_each_test_gets_an_equal_share_of_what_is_left() -> None:
    clock = [40.0]
    allotment = Allotment(lambda: clock[0])

    allotment.reserve(3)
    assert not allotment.is_next_ones_turn()
    clock[0] = 30.0
    assert allotment.is_next_ones_turn()

    allotment.reserve(2)  # the next of the three others
    assert not allotment.is_next_ones_turn()
    assert not allotment.is_over()


def test_without_a_limit_nothing_is_reserved() -> None:
    allotment = Allotment(lambda: math.inf)
    allotment.reserve(100)
    assert not allotment.is_next_ones_turn()
    assert allotment.left() == math.inf


def test_time_for_the_last_steps_is_kept_back_until_it_is_given_back() -> None:
    clock = [20.0]
    allotment = Allotment(lambda: clock[0], grace=lambda: 5.0)
    allotment.keep_back(executions=100, seconds=0.06)
    assert allotment.left() == 14.0
    allotment.give_back()
    assert allotment.left() == 20.0
    allotment.keep_back(executions=100, seconds=6.0)
    assert allotment.left() == 10.0  # half of it at most


def test_when_time_is_over_there_is_a_grace_for_the_cheapest_steps() -> None:
    clock = [0.0]
    allotment = Allotment(lambda: clock[0], grace=lambda: 5.0)
    assert allotment.is_over()
    assert not allotment.is_closed()
    clock[0] = -5.0
    assert allotment.is_closed()
    assert not allotment.is_closed(2)
    clock[0] = -10.0
    assert allotment.is_closed(2)


def test_without_a_grace_the_cheapest_steps_are_always_taken() -> None:
    allotment = Allotment(lambda: -1000.0)
    allotment.keep_back(executions=100, seconds=1.0)
    assert allotment.left() == -1000.0
    assert not allotment.is_closed(2)


def test_time_is_scarce_where_the_cheapest_way_would_just_fit() -> None:
    clock = [60.0]
    allotment = Allotment(lambda: clock[0], grace=lambda: 1.0)
    allotment.expect(cheaply=10.0, at_least=5.0)
    assert not allotment.is_over()
    clock[0] = 1.0  # and eight graces
    assert allotment.is_over()
    assert allotment.is_closed()
    assert not allotment.is_closed(2)
    assert allotment.is_scarce
    assert not allotment.is_desperate
    clock[0] = -4.0
    assert allotment.is_desperate
    assert not allotment.is_closed(5)


def test_time_without_limit_is_never_scarce() -> None:
    allotment = Allotment(lambda: math.inf)
    allotment.expect(cheaply=1e9, at_least=1e9)
    assert not allotment.is_scarce
    assert not allotment.is_closed()
