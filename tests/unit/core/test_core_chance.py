"""What counts as chance in a text."""

from __future__ import annotations

import tempfile
import uuid

import pytest

from pytest_evosearch.core.chance import in_common
from pytest_evosearch.core.chance import shape
from pytest_evosearch.core.chance import without_chance


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"no file 'drafts/d_{uuid.uuid4()}'", "no file 'drafts/d_...'"),
        (f"no file {uuid.uuid4().hex}.txt", "no file ....txt"),
        ("<Store object at 0x7f3a1c0b2d50>", "<Store object at ...>"),
        (f"no file '{tempfile.mkdtemp()}/a.txt'", "no file '/tmp/tmp.../a.txt'"),
        (f"{uuid.uuid4()} {uuid.uuid4()}", "..."),
    ],
    ids=["a UUID", "hexadecimal", "an address", "a temporary folder", "two in a row"],
)
def test_forms_of_chance_become_gaps(text: str, expected: str) -> None:
    assert without_chance(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "invalid literal for int() with base 10: '2030-01-15'",
        "Python int too large to convert to SQLite INTEGER",
        "no such table: accommodation_1234567890123456",
        "list index out of range",
        "",
    ],
)
def test_what_was_said_stays(text: str) -> None:
    assert without_chance(text) == text


def test_what_differs_between_answers_to_one_request_is_chance_whatever_its_form() -> None:
    said = ["ticket k3x for 'marta' is gone", "ticket q9z for 'marta' is gone"]
    assert in_common(said) == "ticket ... for 'marta' is gone"
    assert in_common(reversed(said)) == in_common(said)
    assert in_common([said[0], said[0]]) == said[0]
    assert in_common(["drawn 0.25", "drawn 17"]) == "drawn ..."


def test_shapes_are_equal_where_only_numbers_and_long_words_differ() -> None:
    assert shape("request 17 of c3po") == shape("request 4 of r2d2")
    assert shape("no, request 17") != shape("yes, request 17")
