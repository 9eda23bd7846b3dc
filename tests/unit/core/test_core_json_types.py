from __future__ import annotations

import pytest

from pytest_evosearch.core.json_types import python_names
from pytest_evosearch.core.json_types import type_called


@pytest.mark.parametrize(
    ("name", "said"),
    [("str", "string"), ("string", "string"), ("dict", "object"), ("int", "integer")],
)
def test_python_and_schemas_call_types_by_names_of_their_own(name: str, said: str) -> None:
    assert type_called(name) == said


def test_a_class_of_an_application_is_no_type_of_json() -> None:
    assert type_called("invoice") is None
    assert type_called("nonetype") is None


def test_a_number_of_json_is_a_float_or_an_int() -> None:
    assert python_names("number") == ("float", "int")
    assert python_names("array") == ("list",)
    assert python_names("null") == ()
