from __future__ import annotations

import base64
import datetime
import re
import struct
import sys
from collections.abc import Callable
from collections.abc import Mapping
from itertools import islice
from typing import Any

import pytest

from pytest_evosearch.standins.type_inquiry import Inquiry
from pytest_evosearch.standins.type_inquiry import overhearing
from pytest_evosearch.standins.type_inquiry import shapes_by_calls


class Address:
    def __init__(self, host: str = "a") -> None:
        self.host = host

    def is_private(self) -> bool:
        return self.host == "a"


def shown(function: Callable[..., Any], *names: str) -> str:
    """What the inquiry says of a function's arguments."""
    inquiry = Inquiry(names, [Address], lambda kind: kind())

    def call(values: Mapping[str, Any]) -> object:
        return function(**values)

    with overhearing(inquiry, [sys.modules[__name__]]):
        shapes = shapes_by_calls(call, inquiry, 10)
    return ", ".join(str(shapes[name]) for name in names)


def joined(parts):  # type: ignore[no-untyped-def]
    return ", ".join(parts)


def padded(a, b):  # type: ignore[no-untyped-def]
    return a.upper().center(b, "*")


def mean_of(a):  # type: ignore[no-untyped-def]
    return sum(a) / len(a)


def report(a):  # type: ignore[no-untyped-def]
    return [f"{row['title']}: {row['number']:02d}" for row in a["results"]]


def later(a):  # type: ignore[no-untyped-def]
    return a + datetime.timedelta(days=1)


def first_of_six(a):  # type: ignore[no-untyped-def]
    year, _month, _day, _hour, _minute, _second = a
    return year * 2


def private(a):  # type: ignore[no-untyped-def]
    return a.is_private()


def applied(a, b):  # type: ignore[no-untyped-def]
    return [a(one) + 1 for one in b]


REGISTRY = {"a": 1}


def looked_up(x):  # type: ignore[no-untyped-def]
    return REGISTRY[x] + LENGTHS[x]


LENGTHS: dict[str, int] = {}


def left_out(n, seq):  # type: ignore[no-untyped-def]
    return list(islice(seq, n, None))


def between(start, stop):  # type: ignore[no-untyped-def]
    if not isinstance(start, datetime.date):
        raise TypeError("start is no date")
    if stop and not isinstance(stop, datetime.date):
        raise TypeError("stop is no date")
    return stop - start


def is_known(func):  # type: ignore[no-untyped-def]
    return func in REGISTRY


def compared(text1, text2):  # type: ignore[no-untyped-def]
    return text1 == text2


def checked(a):  # type: ignore[no-untyped-def]
    if not isinstance(a, Address):
        raise TypeError("no address")
    return a


def label(a):  # type: ignore[no-untyped-def]
    return a.title_text.upper() + a.footer


def sector(h, s, v):  # type: ignore[no-untyped-def]
    if s == 0.0:
        return v
    rest = h * 6.0 - int(h * 6.0)
    return v * (1.0 - s * rest)


@pytest.mark.parametrize(
    ("function", "names", "expected"),
    [
        (sector, ["h", "s", "v"], "float, float, float"),
        (looked_up, ["x"], "str"),
        (left_out, ["n", "seq"], "int, list"),
        (between, ["start", "stop"], "date, date"),
        (is_known, ["func"], "function"),
        (compared, ["text1", "text2"], "str, str"),
        (joined, ("parts",), "list[str]"),
        (padded, ("a", "b"), "str, int"),
        (mean_of, ("a",), "list[int]"),
        (later, ("a",), "timedelta"),
        (first_of_six, ("a",), "tuple[int, int, int, int, int, int]"),
        (private, ("a",), "Address"),
        (applied, ("a", "b"), "function[int], list"),
        (checked, ("a",), "Address"),
    ],
)
def test_uses_show_types(
    function: Callable[..., Any], names: tuple[str, ...], expected: str
) -> None:
    assert shown(function, *names) == expected


def measured(input_size, chunksize):  # type: ignore[no-untyped-def]
    return [input_size, chunksize]


def stored(word2numbers, filename):  # type: ignore[no-untyped-def]
    return {filename: word2numbers}


def packed(x, signed):  # type: ignore[no-untyped-def]
    return [struct.Struct(">d").pack(x), bool(signed)]


def column(a, b):  # type: ignore[no-untyped-def]
    if a.is_open():
        if a.has_kind():
            raise ValueError("the column has a kind")
        return b.upper()
    raise ValueError("it is closed")


def day_of(a):  # type: ignore[no-untyped-def]
    return datetime.date(*[int(one) for one in re.split("-", a)])


def both(first, second):  # type: ignore[no-untyped-def]
    return base64.b64encode(first + second)


@pytest.mark.parametrize(
    ("function", "names", "expected"),
    [
        pytest.param(measured, ("input_size", "chunksize"), "int, int", id="name_of_one_word"),
        pytest.param(
            stored, ("word2numbers", "filename"), "dict[dict], str", id="name_of_a_mapping"
        ),
        pytest.param(packed, ("x", "signed"), "float, bool", id="message_of_struct"),
        pytest.param(
            column,
            ("a", "b"),
            "object(is_open: function[bool], has_kind: function[bool]), str",
            id="both_refusals_avoided",
        ),
        pytest.param(day_of, ("a",), "str", id="error_about_how_many_arguments"),
        pytest.param(both, ("first", "second"), "bytes, bytes", id="operands_of_one_type"),
    ],
)
def test_hints_of_names_messages_and_paths_show_types(
    function: Callable[..., Any], names: tuple[str, ...], expected: str
) -> None:
    assert shown(function, *names) == expected


def test_keys_of_nested_documents_are_found() -> None:
    assert shown(report, "a") == "{results: list[{title: str, number: int}]}"


def test_an_object_has_exactly_what_was_read() -> None:
    assert shown(label, "a") == "object(title_text: str, footer: str)"


def test_a_loop_that_asks_for_truth_ends() -> None:
    def endless(a: Any) -> None:
        while a:
            a = a.next_one

    inquiry = Inquiry(["a"])
    shapes_by_calls(lambda values: endless(**values), inquiry, 3)

    assert inquiry.rounds <= 3


def test_what_nothing_was_asked_of_is_any() -> None:
    assert shown(lambda a: [a], "a") == "any"
