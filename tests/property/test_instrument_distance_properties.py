from __future__ import annotations

import math
import operator
import re
from datetime import timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_evosearch.core.comparison_signs import NEGATED
from pytest_evosearch.instrument.distances import distance
from pytest_evosearch.instrument.distances import predicates
from pytest_evosearch.instrument.distances.distance import comparison
from pytest_evosearch.instrument.distances.distance import nearness
from pytest_evosearch.instrument.distances.distance import truth
from pytest_evosearch.instrument.distances.pattern_distance import pattern_distance

RELATIONS = sorted(NEGATED)
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


PATTERNS = st.sampled_from(
    [
        "[A-Z]{3}-[0-9]{2,4}",
        r"^\w+@\w+\.(com|org)$",
        "a*b+c?",
        r"(?i:abc)|x.z",
        r"\d{4}-\d\d-\d\d",
        "[^abc]+",
        r"(foo|bar|baz){2}",
        r"\s*\S+\s*",
    ]
)


@given(PATTERNS, st.text(max_size=12), st.sampled_from(["match", "fullmatch", "search"]))
def test_a_text_matches_exactly_when_its_distance_is_nothing(
    pattern: str, text: str, method: str
) -> None:
    flags = re.ASCII
    edits = pattern_distance(method, pattern, flags, text)
    matches = getattr(re.compile(pattern, flags), method)(text) is not None

    assert edits is not None
    if matches and "i:" not in pattern:
        assert edits == 0
    if edits == 0 and "$" not in pattern:
        assert matches


@given(
    PATTERNS.flatmap(
        lambda pattern: st.tuples(
            st.just(pattern), st.from_regex(re.compile(pattern, re.ASCII), fullmatch=True)
        )
    ),
    st.data(),
)
def test_more_edits_are_never_nearer_than_their_number(
    sample: tuple[str, str], data: st.DataObject
) -> None:
    pattern, text = sample
    if "i:" in pattern or len(text) > 40:
        return
    for count in (1, 2, 3):
        place = data.draw(st.integers(0, len(text)))
        text = text[:place] + data.draw(st.characters(codec="ascii")) + text[place:]
        edits = pattern_distance("fullmatch", pattern, re.ASCII, text)
        assert edits is not None
        assert edits <= count


@given(st.sampled_from("abcdefgh"), st.integers(1, 30), st.integers(1, 30))
def test_a_nearer_character_scores_strictly_higher(wanted: str, small: int, more: int) -> None:
    def score(by: int) -> float:
        text = "ab" + chr(ord(wanted) + by) + "1"
        return predicates.nearness("fullmatch", None, (f"ab{wanted}[0-9]", text), False)

    assert score(small) > score(small + more)


@given(st.text(max_size=300), st.text(max_size=30))
def test_any_pattern_on_any_text_is_bounded_and_never_raises(pattern: str, text: str) -> None:
    edits = pattern_distance("search", pattern, 0, text)

    assert edits is None or edits >= 0


@given(anything, st.one_of(st.sampled_from([int, str, dict, (int, str), (), object]), anything))
def test_types_of_anything_score_inside_the_interval(value: Any, kind: Any) -> None:
    assert 0 < predicates.nearness("isinstance", value, (kind,), False) < 1


@given(st.sampled_from(["hasattr", "getattr"]), anything, anything)
def test_attributes_of_anything_score_inside_the_interval(
    name: str, subject: Any, sought: Any
) -> None:
    assert 0 < predicates.nearness(name, subject, (sought,), False) < 1


@pytest.mark.parametrize(
    ("kind", "values"),
    [(int, [None, [], "x", "12", 1.5]), ((int, str), [None, [], 1.5]), (float, [None, {}, "2.5"])],
)
def test_a_value_that_is_nearer_to_a_type_scores_higher(kind: Any, values: list[Any]) -> None:
    scores = [predicates.nearness("isinstance", value, (kind,), False) for value in values]

    assert scores == sorted(scores)
    assert scores[0] < scores[-1]


class Hostile:
    """Raises whatever is asked of it."""

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(name)

    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    def __hash__(self) -> int:
        raise RuntimeError

    def __bool__(self) -> bool:
        raise RuntimeError

    def __len__(self) -> int:
        raise RuntimeError


def test_hostile_objects_are_not_asked() -> None:
    # Not parameters: pytest would ask them for their names.
    for other in (Hostile(), 1, "a", [Hostile()], {"a": Hostile()}, None):
        for relation in RELATIONS:
            assert 0 < nearness(relation, Hostile(), other) < 1
            assert 0 < nearness(relation, other, Hostile()) < 1
        assert 0 < distance.truth_nearness(Hostile(), True) < 1
        for name in ("isinstance", "hasattr", "getattr", "get", "match", "startswith"):
            assert 0 < predicates.nearness(name, Hostile(), (other, other), False) < 1


@given(
    st.sampled_from(["int", "float", "Decimal", "complex", "Fraction", "bytes.fromhex"]),
    st.integers(0, 999),
    st.integers(1, 40),
    st.integers(1, 40),
)
def test_a_text_that_is_nearer_to_being_converted_scores_higher(
    name: str, number: int, small: int, more: int
) -> None:
    good = f"{number:04d}"
    near, far = good + chr(ord("9") + 60 + small), good + chr(ord("9") + 60 + small + more)
    scores = [predicates.conversion_nearness(name, text, "", False) for text in (near, far)]

    assert predicates.converts(name, good, "")
    assert 0 < scores[1] < scores[0] < 1


@given(st.text(max_size=10), st.sampled_from(["%Y-%m-%d", "%d/%m/%y %H:%M", "%", "%Q", ""]))
def test_formats_never_raise(text: str, form: str) -> None:
    converted = predicates.converts("datetime.strptime", text, form)

    assert 0 < predicates.conversion_nearness("datetime.strptime", text, form, converted) < 1
