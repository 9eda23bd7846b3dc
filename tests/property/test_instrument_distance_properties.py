from __future__ import annotations

import math
import operator
from datetime import timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_evosearch.instrument import distance
from pytest_evosearch.instrument import predicates
from pytest_evosearch.instrument.distance import comparison
from pytest_evosearch.instrument.distance import nearness
from pytest_evosearch.instrument.distance import truth

RELATIONS = sorted(distance.NEGATED)
OPERATORS = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(min_value=-5, max_value=5),
    st.floats(),
    st.decimals(),
    st.fractions(),
    st.complex_numbers(),
    st.text(max_size=8),
    st.binary(max_size=8),
    st.dates(),
    st.times(),
    st.datetimes(),
    st.datetimes(timezones=st.just(timezone.utc)),
    st.timedeltas(),
    st.uuids(),
)
hashable = st.one_of(st.integers(), st.text(max_size=3), st.tuples(st.integers(), st.uuids()))
anything = st.one_of(
    scalars,
    st.lists(scalars, max_size=4),
    st.lists(st.lists(st.integers(), max_size=3), max_size=3),
    st.tuples(scalars, scalars),
    st.sets(st.one_of(st.integers(), st.text(max_size=3)), max_size=5),
    st.frozensets(hashable, max_size=4),
    st.dictionaries(st.text(max_size=3), scalars, max_size=4),
    st.builds(range, st.integers(-9, 9), st.integers(-9, 9), st.sampled_from([1, 2, -1])),
    st.builds(object),
)


@given(st.sampled_from(RELATIONS), anything, anything)
def test_any_pair_of_objects_gives_a_score_inside_the_interval(
    relation: str, left: Any, right: Any
) -> None:
    assert 0 < nearness(relation, left, right) < 1


@given(st.sampled_from(RELATIONS), anything, anything, st.booleans())
def test_exactly_the_taken_side_is_one(relation: str, left: Any, right: Any, outcome: bool) -> None:
    of_true, of_false = comparison(relation, left, right, outcome)

    assert (of_true == 1, of_false == 1) == (outcome, not outcome)


@given(anything, st.booleans())
def test_truth_has_exactly_one_side_at_one(value: Any, outcome: bool) -> None:
    of_true, of_false = truth(value, outcome)

    assert (of_true == 1, of_false == 1) == (outcome, not outcome)
    assert min(of_true, of_false) > 0


@given(
    st.sampled_from(["==", "<", "<=", ">", ">="]),
    st.integers(-(10**6), 10**6),
    st.integers(-(10**6), 10**6),
    st.integers(-(10**6), 10**6),
)
def test_closer_integers_score_strictly_higher(
    relation: str, near: int, far: int, wanted: int
) -> None:
    holds = OPERATORS[relation]
    if abs(near - wanted) < abs(far - wanted) and not (holds(near, wanted) or holds(far, wanted)):
        assert nearness(relation, near, wanted) > nearness(relation, far, wanted)
        assert nearness(relation, float(near), wanted) > nearness(relation, far, float(wanted))


@given(st.text(min_size=1, max_size=6), st.integers(0, 5), st.integers(1, 50), st.integers(1, 50))
def test_closer_texts_score_strictly_higher(wanted: str, place: int, small: int, more: int) -> None:
    def shifted(by: int) -> str:
        index = place % len(wanted)
        code = ord(wanted[index])
        moved = code + by if code + by < 0x10FFFF else code - by
        return wanted[:index] + chr(moved) + wanted[index + 1 :]

    near, far = shifted(small), shifted(small + more)
    assert nearness("==", near, wanted) > nearness("==", far, wanted)
    assert nearness("==", far, wanted) > nearness("==", wanted + "xx", wanted)
    assert nearness("startswith", near, wanted) == distance.FLAG


@given(st.text(max_size=6), st.text(max_size=6))
def test_a_text_is_nearest_to_itself(left: str, right: str) -> None:
    assert (nearness("==", left, right) == distance.CLOSEST) is (left == right)


@pytest.mark.parametrize("name", sorted(predicates.CLASS_MEMBERS))
@given(text=st.text(max_size=8))
def test_character_classes_score_inside_the_interval(name: str, text: str) -> None:
    assert 0 < predicates.nearness(name, text, (), False) < 1


@given(st.sampled_from(["startswith", "endswith"]), anything, anything, st.booleans())
def test_affixes_of_anything_score_inside_the_interval(
    name: str, subject: Any, affix: Any, outcome: bool
) -> None:
    assert 0 < predicates.nearness(name, subject, (affix,), outcome) < 1


@given(
    st.sampled_from(["match", "fullmatch", "search"]),
    st.one_of(st.text(alphabet="ab(|)*+?[]\\d{2}^$.", max_size=8), anything),
    st.one_of(st.text(alphabet="ab12", max_size=8), anything),
)
def test_patterns_score_inside_the_interval(name: str, pattern: Any, text: Any) -> None:
    assert 0 < predicates.nearness(name, None, (pattern, text), False) < 1


@given(
    st.sampled_from(["int", "float", "Decimal", "UUID", "json.loads", "date.fromisoformat"]),
    st.text(max_size=12),
)
def test_conversions_score_inside_the_interval(name: str, text: str) -> None:
    converted = predicates.converts(name, text, "")

    assert 0 < predicates.conversion_nearness(name, text, "", converted) < 1


def test_infinities_are_ordered_below_every_finite_gap() -> None:
    assert nearness("<", math.inf, 0.0) < nearness("<", 1.7e308, 0.0)
