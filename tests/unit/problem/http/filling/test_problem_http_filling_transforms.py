from __future__ import annotations

import datetime
import decimal
import uuid

import pytest

from pytest_evosearch.problem.http.filling.operand_goals import wishes
from pytest_evosearch.problem.http.filling.transforms import inverses
from pytest_evosearch.problem.http.filling.transforms import with_length

DAY = datetime.date(2020, 2, 3)
OTHER_DAY = datetime.date(2031, 12, 24)
SOME_UUID = uuid.UUID(int=7)


@pytest.mark.parametrize(
    ("sent", "observed", "wish", "expected"),
    [
        ("abc", "abc", "xyz", "xyz"),
        ("  AbC ", "abc", "xyz", "xyz"),
        ("abc", "ABC", "XYZ", "XYZ"),
        ("a.b", "b", "txt", "a.txt"),
        ("A.B", "b", "txt", "A.txt"),
        ("a%20b", "a b", "c d", "c%20d"),
        ("abc", "cba", "xyz", "zyx"),
        ("a", "helloa", "hello7", "7"),
        ("Basic YWNvcm46YmlyY2g=", "birch", "swordfish", "Basic YWNvcm46c3dvcmRmaXNo"),
        ("61636f726e", b"acorn", b"key", "6b6579"),
        ("a.__79AQ", b"\xff\xfe\xfd\x01", b"\xff\x00", "a._wA"),
        ("12", 12, 99, "99"),
        ("12", 12, 2.5, "2.5"),
        ("12", -12, 5, "-5"),
        ("abcd", 4, 6, "abcddd"),
        ("a", 1, 3, "a.a.a"),
        ("2020-02-03", 3, 7, "2020-02-07"),
        ("v1.5", 1.5, 2, "v2"),
        ("a", 97, 98, "b"),
        ("2020-02-03", DAY, OTHER_DAY, "2031-12-24"),
        ("03/02/2020", DAY, OTHER_DAY, "24/12/2031"),
        ("a,b", ["a", "b"], ["x", "y"], "x,y"),
        (str(SOME_UUID), SOME_UUID, uuid.UUID(int=9), str(uuid.UUID(int=9))),
        ("1.50", decimal.Decimal("1.50"), decimal.Decimal("7.25"), "7.25"),
        (b"abc", b"abc", b"xyz", b"xyz"),
        (12, 12, 99, 99),
        (12, -12, 5, -5),
        (7, "hello7", "hello8", 8),
        (12.5, "5", "txt", "12.txt"),
    ],
)
def test_transformations_are_undone(sent, observed, wish, expected):
    values = [value for _rank, value in inverses(sent, observed, wish)]
    assert expected in values


@pytest.mark.parametrize(
    ("sent", "observed"), [("abc", "xyz"), ("abc", None), (1, 2), (1, True), ("", "x")]
)
def test_unrelated_values_give_nothing(sent, observed):
    assert list(inverses(sent, observed, observed)) == []


def test_exact_matches_rank_before_parts():
    exact = next(iter(inverses("abc", "abc", "x")))
    part = next(iter(inverses("abc.d", "abc", "x")))
    assert exact[0] < part[0]


def test_huge_texts_and_numbers_are_no_trouble():
    assert list(inverses("9" * 10_000, 5, 6)) == []
    assert list(inverses("a" * 50, 50, 10**9)) == []


class Stubborn:
    def __str__(self) -> str:
        raise RuntimeError("no")


def test_values_that_raise_are_passed_over():
    assert list(inverses("abc", Stubborn(), "x")) == []


@pytest.mark.parametrize(
    ("relation", "observed", "wanted", "expected"),
    [
        ("==", "a", "b", ["b"]),
        ("!=", "a", "a", []),
        ("<", 5, 3, [3, 4, 2]),
        ("in", "a", ("a", "b", "c"), ["b", "c"]),
        ("key", "a", ("b",), ["b"]),
        ("in", "z", "abc", ["abc", "zabc"]),
        ("startswith", "x", "pre", ["pre", "prex", "pre"]),
        ("startswith", "abcd", "pre", ["pre", "preabcd", "pred"]),
        ("endswith", "abcd", ".x", ["abcd.x", ".x", "ab.x"]),
        ("endswith", "x", ("a", "b"), ["xa", "a", "a", "xb", "b", "b"]),
        ("isdigit", "x", None, ["1"]),
        ("isdigit", "4a-2", None, ["4112", "1"]),
        ("isupper", "ab1", None, ["AB1", "A"]),
        ("isidentifier", "a b", None, ["a"]),
        ("parse", "x", "date.fromisoformat", ["2024-01-15"]),
        ("parse", "x", "datetime.strptime:%d/%m", ["15/01"]),
        ("parse", "x", "unheard.of", []),
        ("isinstance", "x", ("int",), [1]),
        ("match", "x", "[0-9]", []),
    ],
)
def test_wishes_by_relation(relation, observed, wanted, expected):
    assert list(wishes(relation, observed, wanted)) == expected


def test_ordering_wishes_surround_texts_and_days():
    assert list(wishes(">", "x", "ab")) == ["ab", "aba", "a", "ac", "aa"]
    day = datetime.timedelta(days=1)
    assert list(wishes("<", DAY, OTHER_DAY)) == [OTHER_DAY, OTHER_DAY + day, OTHER_DAY - day]
    assert list(wishes("<", DAY, datetime.date.max)) == [datetime.date.max]


def test_every_place_of_a_part_is_replaced_at_once_too():
    found = [value for _, value in inverses("978aaa", "a", "1")]
    assert found == ["978aa1", "9781aa", "978111"]


@pytest.mark.parametrize(
    ("sent", "now", "wanted", "expected"),
    [
        ([1, 2], 2, 3, [[1, 2, 2]]),
        ([1, 2], 5, 3, []),
        ("a,b", 2, 3, ["a,b,b"]),
        ("a-b", 2, 1, ["a"]),
        ("a,b", 2, 10_000, []),
        (7, 1, 2, []),
        ("a", 1, None, []),
    ],
)
def test_what_a_collection_was_made_of_gets_another_length(
    sent: object, now: object, wanted: object, expected: list[object]
) -> None:
    assert [value for _rank, value in with_length(sent, now, wanted)] == expected
