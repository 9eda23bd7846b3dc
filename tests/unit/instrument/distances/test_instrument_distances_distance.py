from __future__ import annotations

import math
from datetime import date
from datetime import datetime
from datetime import time
from datetime import timedelta
from datetime import timezone
from decimal import Decimal
from fractions import Fraction
from typing import Any
from uuid import UUID

import pytest

from pytest_evosearch.core.scores import Truthness
from pytest_evosearch.instrument.distances.distance import CLOSEST
from pytest_evosearch.instrument.distances.distance import FLAG
from pytest_evosearch.instrument.distances.distance import comparison
from pytest_evosearch.instrument.distances.distance import members
from pytest_evosearch.instrument.distances.distance import nearness
from pytest_evosearch.instrument.distances.distance import text_difference
from pytest_evosearch.instrument.distances.distance import truth
from pytest_evosearch.instrument.distances.distance import truth_nearness


def test_an_ordering_scores_by_its_gap() -> None:
    assert nearness("<", 10, 3) == pytest.approx(1 / 8.1)
    assert comparison(">", 10, 0, True) == Truthness(1.0, pytest.approx(1 / 11.1))


def test_an_equality_of_numbers_scores_above_the_base() -> None:
    assert nearness("==", 7, 10) == pytest.approx(0.1 + 0.9 / 4)
    assert nearness("==", 1.5, 1.0) == pytest.approx(0.1 + 0.9 / 1.5)


def test_an_equality_of_texts_counts_length_then_characters() -> None:
    assert text_difference("abc", "abd") == 1
    assert text_difference("ab", "abd") == 65536
    assert nearness("==", "abc", "abd") == pytest.approx(0.1 + 0.9 / 2)
    assert nearness("==", b"abc", b"abf") == pytest.approx(0.1 + 0.9 / 4)


def test_texts_are_ordered_by_the_first_difference() -> None:
    assert nearness("<", "b", "a") == pytest.approx(1 / 2.1)
    assert nearness(">", "ab", "abc") == pytest.approx(1 / 2.1)
    assert nearness("<", "az", "ab") < nearness("<", "ac", "ab")


@pytest.mark.parametrize(
    ("near", "far", "wanted"),
    [
        (date(2020, 1, 2), date(2021, 1, 1), date(2020, 1, 1)),
        (datetime(2020, 1, 1, 0, 1), datetime(2020, 1, 1, 5), datetime(2020, 1, 1)),
        (time(1, 2), time(5), time(1)),
        (timedelta(1), timedelta(9), timedelta(0)),
        (Decimal("1.5"), Decimal(9), Decimal(1)),
        (Decimal("1.5"), 9.0, 1),
        (Fraction(1, 2), Fraction(3), 0),
        (UUID(int=5), UUID(int=50), UUID(int=4)),
        (1 + 1j, 9 + 1j, 1j),
        ((1, 2), (1, 200), (1, 3)),
        ([1], [1, 2, 3], []),
        ({1, 2}, {4, 5}, {1, 3}),
        ({"a": 1}, {"b": 1}, {"a": 2}),
    ],
)
def test_an_equality_is_nearer_the_closer_the_values(near: Any, far: Any, wanted: Any) -> None:
    assert 0 < nearness("==", far, wanted) < nearness("==", near, wanted) < 1


@pytest.mark.parametrize("relation", ["==", ">"])
def test_the_moment_of_a_request_is_as_far_from_another_each_time(relation: str) -> None:
    stored, later = datetime(2020, 1, 1), timedelta(microseconds=1234)

    first = nearness(relation, stored, datetime(2020, 1, 1, 5, 0, 7))
    again = nearness(relation, stored + later, datetime(2020, 1, 1, 5, 0, 7) + 3 * later)
    elapsed = [nearness(relation, stored, stored + times * later) for times in (1, 2)]

    assert first == again
    assert elapsed[0] == elapsed[1] > first


def test_membership_takes_the_best_member() -> None:
    assert nearness("in", 6, (1, 5, 100)) == nearness("==", 6, 5)
    assert nearness("in", "ax", {"ab": 1}) == nearness("==", "ax", "ab")
    assert nearness("in", "ax", {"ab", "q"}) == nearness("==", "ax", "ab")
    assert nearness("in", 1, ()) == FLAG
    assert nearness("in", None, (1,)) == FLAG
    assert nearness("in", 8, range(0, 7, 2)) == nearness("==", 8, 6)


def test_membership_in_a_text_takes_the_best_window() -> None:
    assert nearness("in", "bd", "abc") == nearness("==", "bd", "bc")
    assert nearness("in", "abcd", "abc") == nearness("==", "abcd", "abc")


def test_identity_with_none_knows_the_base_of_real_values() -> None:
    assert nearness("is", 5, None) == pytest.approx(0.1)
    assert nearness("is not", None, None) == FLAG


def test_leaving_an_equality_is_a_small_constant() -> None:
    assert nearness("!=", 1, 1) == nearness("!=", "abc", "abc") == pytest.approx(0.1)
    assert nearness("not in", 1, [1]) == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (1, "1"),
        (None, 3),
        (object(), object()),
        (datetime(2020, 1, 1), datetime(2020, 1, 1, tzinfo=timezone.utc)),
        (Decimal("NaN"), 1),
        ([object()], {object()}),
    ],
)
def test_what_cannot_be_compared_gives_a_score_still(left: object, right: object) -> None:
    assert 0 < nearness("==", left, right) <= 0.1


def test_extremes_stay_inside_the_interval() -> None:
    assert 0 < nearness("<", math.inf, 0.0) < nearness("<", 1e300, 0.0)
    assert nearness("<", 5, 5) < 1
    assert nearness("==", 0.0, 5e-324) == CLOSEST
    assert 0 < nearness("<", 10**400, 1.5) < 1
    assert 0 < nearness("<", float("nan"), 1.0) < 1


def test_truth_scores_by_length() -> None:
    assert truth_nearness("abc", True) == pytest.approx(1 / 4)
    assert truth_nearness([], False) == FLAG
    assert truth_nearness(0, False) == pytest.approx(0.1)
    assert truth_nearness(3, True) == pytest.approx(0.1 + 0.9 / 4)
    assert truth(None, False) == Truthness(0.05, 1.0)


def test_members_of_a_set_come_in_an_order_that_no_hash_decides() -> None:
    assert members({"b", "a", 3, "c"}, 3) == (3, "a", "b")
    assert members({"x": 1, "a": 2}, 9) == ("x", "a")
    assert members(object(), 9) == ()


class Hostile:
    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        raise RuntimeError

    def __repr__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize("relation", ["==", "<", "in", "not in", "is", "nonsense"])
def test_hostile_values_are_never_touched(relation: str) -> None:
    assert 0 < nearness(relation, Hostile(), Hostile()) < 1
    assert 0 < nearness(relation, Hostile(), [Hostile()]) < 1
    assert 0 < nearness(relation, (Hostile(), 1), (2, Hostile())) < 1
