"""Check digits are found among the values of the last one or two digits."""

from __future__ import annotations

import pytest

from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.problem.http.filling.check_digits import DEAF_AFTER
from pytest_evosearch.problem.http.filling.check_digits import CheckDigits
from pytest_evosearch.problem.http.filling.check_digits import digits_of
from pytest_evosearch.problem.http.filling.check_digits import is_checked_number

TARGET = "branch a.py:1 true"
PLACE = ("POST /pay", "card")
OTHER = ("POST /pay", "amount")


def luhn(text: str) -> int:
    digits = [int(each) for each in text if each.isdigit()]
    doubled = [sum(divmod(2 * each, 10)) for each in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10


def isbn(text: str) -> int:
    digits = [int(each) for each in text if each.isdigit()]
    return sum(weight * each for weight, each in zip(range(10, 0, -1), digits, strict=True)) % 11


def iban(text: str) -> int:
    return int("".join(str(int(each, 36)) for each in text[4:] + text[:4])) % 97


def plain_sum(text: str) -> int:
    return sum(map(int, text))


def searched(text: str, checked, goal: int) -> int:
    """Follow the first proposal each time; return after how many texts the number was right."""
    book = CheckDigits()
    for tried in range(1, 200):
        number = checked(text)
        if number == goal:
            return tried
        comparison = Comparison(TARGET, "==", number, goal)
        assert book.wants(comparison)
        book.read(comparison, {PLACE: text, OTHER: "100"})
        text = next(t for place, t, _ in book.proposals(TARGET, {PLACE: text}) if place == PLACE)
    raise AssertionError(text)


@pytest.mark.parametrize(
    ("text", "checked", "goal", "most"),
    [
        ("1111111111111111", luhn, 0, 11),
        ("4000 1234 5678 9010", luhn, 0, 11),
        ("1-234-56789-1", isbn, 0, 25),
        ("DE30LLLLLLLLLLLLLLLLLL", iban, 1, 60),
        ("GB00WEST12345698765432", iban, 1, 30),
        ("1111", plain_sum, 12, 12),
    ],
)
def test_right_digits_are_found_within_few_texts(text, checked, goal, most) -> None:
    assert 1 < searched(text, checked, goal) <= most


def test_place_that_moves_nothing_is_let_go() -> None:
    book = CheckDigits()
    comparison = Comparison(TARGET, "==", 3, 0)
    for number in range(DEAF_AFTER):
        assert book.wants(comparison)
        book.read(comparison, {PLACE: f"11{number}"})
    assert not book.knows(TARGET)
    assert not book.wants(comparison)
    assert list(book.proposals(TARGET, {PLACE: "110"})) == []


def test_what_another_place_moved_is_not_put_down_to_this_one() -> None:
    book = CheckDigits()
    for number in range(DEAF_AFTER):
        book.read(
            Comparison(TARGET, "==", number, 99), {PLACE: f"11{number}", OTHER: f"22{number}"}
        )
    assert not any(moves for _, _, moves in book.proposals(TARGET, {PLACE: "110", OTHER: "220"}))


def test_one_of_several_remainders_is_enough() -> None:
    book = CheckDigits()
    for text in ("10", "11", "20"):
        book.read(Comparison(TARGET, "in", int(text) % 7, (5, 6)), {PLACE: text})
    proposed = [text for _, text, _ in book.proposals(TARGET, {PLACE: "20"})]
    assert any(int(text) % 7 in (5, 6) for text in proposed[:10])


@pytest.mark.parametrize(
    ("relation", "observed", "wanted", "expected"),
    [
        ("==", 3, 0, True),
        ("in", 3, (0, 1), True),
        ("==", "3", "0", False),
        ("==", True, False, False),
        ("<", 3, 0, False),
        ("in", 3, ("a",), False),
        ("==", 10**9, 0, False),
    ],
)
def test_only_small_numbers_are_checked(relation, observed, wanted, expected) -> None:
    assert is_checked_number(Comparison(TARGET, relation, observed, wanted)) is expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [("4242", "4242"), (1234, "1234"), ("a1b2", "a1b2"), ("a1", None), (True, None), (-12, None)],
)
def test_texts_with_digits_can_be_changed(value, expected) -> None:
    assert digits_of(value) == expected
