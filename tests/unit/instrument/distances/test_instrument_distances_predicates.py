from __future__ import annotations

import re

import pytest

from pytest_evosearch.instrument.distances.distance import FLAG
from pytest_evosearch.instrument.distances.predicates import conversion_nearness
from pytest_evosearch.instrument.distances.predicates import converts
from pytest_evosearch.instrument.distances.predicates import nearness
from pytest_evosearch.instrument.distances.predicates import pattern_text


@pytest.mark.parametrize(
    ("name", "arguments", "far", "near"),
    [
        ("startswith", ("abc",), "xyz", "abd"),
        ("startswith", ("abc",), "x", "ab"),
        ("endswith", ("abc",), "zzxyz", "zzabd"),
        ("endswith", (("q", "abc"),), "zzxyz", "zzabd"),
        ("isdigit", (), "zzz", "1z3"),
        ("isalpha", (), "123", "ab3"),
        ("isupper", (), "abcdef", "ABCDeF"),
        ("fullmatch", (re.compile("[A-Z]{3}-[0-9]"), None), "ab", "ABC-x"),
    ],
)
def test_a_text_that_nearly_passes_scores_higher(
    name: str, arguments: tuple[object, ...], far: str, near: str
) -> None:
    def score(text: str) -> float:
        if name == "fullmatch":
            return nearness(name, arguments[0], (text,), False)
        return nearness(name, text, arguments, False)

    assert 0 < score(far) < score(near) < 1


def test_search_counts_the_items_that_are_found() -> None:
    assert nearness("search", re, ("ab+c", "xx"), False) < nearness(
        "search", re, ("ab+c", "xxabb"), False
    )


def test_a_pattern_that_cannot_be_cut_is_a_flag() -> None:
    assert nearness("match", re, ("(", "x"), False) == FLAG
    assert nearness("match", re, (b"a", b"x"), False) == FLAG
    assert nearness("match", re, ("a", "x" * 1000), False) == FLAG


def test_leaving_a_predicate_is_a_constant() -> None:
    assert nearness("startswith", "abc", ("a",), True) == nearness("isdigit", "1", (), True)


def test_pattern_text_of_both_forms() -> None:
    assert pattern_text(re.compile("a+"), ("b",)) == ("a+", "b")
    assert pattern_text(re, ("a+", "b")) == ("a+", "b")
    assert pattern_text(re, (re.compile("a+"), "b")) == ("a+", "b")
    assert pattern_text(re.compile("a + # many", re.VERBOSE), ("b",)) == ("(?x)a + # many", "b")


@pytest.mark.parametrize(
    ("name", "detail", "good", "near", "far"),
    [
        ("int", "", "12", "1x", "xyz"),
        ("float", "", "1.5", "1.x", "xyz"),
        ("Decimal", "", "1.5", "1.x", "xyz"),
        ("UUID", "", "12345678-1234-5678-1234-567812345678", "g" * 32, "abc"),
        ("json.loads", "", "[1]", "[1", "x"),
        ("date.fromisoformat", "", "2020-01-02", "2020-01-0x", "x"),
        ("datetime.fromisoformat", "", "2020-01-02T03:04:05", "2020-01-02T03:04:0x", "x"),
        ("time.fromisoformat", "", "03:04:05", "03:04:0x", "x"),
        ("datetime.strptime", "%d/%m/%Y", "01/02/2020", "01/02/202x", "x"),
    ],
)
def test_a_text_that_nearly_converts_scores_higher(
    name: str, detail: str, good: str, near: str, far: str
) -> None:
    assert converts(name, good, detail)
    assert not converts(name, near, detail)
    scores = [conversion_nearness(name, text, detail, False) for text in ("", far, near)]
    assert scores[0] <= scores[1] < scores[2] < 1
