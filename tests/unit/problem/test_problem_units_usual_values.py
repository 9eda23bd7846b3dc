"""What people would pass to a parameter."""

from __future__ import annotations

import pytest

from pytest_evosearch.problem.units.arguments import Arguments
from pytest_evosearch.problem.units.inventory import units_of
from pytest_evosearch.problem.units.unit import by_key
from pytest_evosearch.problem.units.usual_values import described_texts
from pytest_evosearch.problem.units.usual_values import documented_types
from pytest_evosearch.problem.units.usual_values import usual_of


def test_texts_with_one_mistake_follow_the_shown_ones() -> None:
    usual = usual_of(["12-345", 7], ["b"], None)

    assert usual.values == (
        *("12-345", 7, "12-346", "12-34", "12-3455", "12-x45", "22-345", "12345", " 12-345 ", "b"),
    )
    assert usual.takes_any_text


def test_what_is_shown_beside_is_varied_where_nothing_else_is_known() -> None:
    assert usual_of([], ["Abx"], None).values == (
        *("Aby", "Ab", "Abxx", "Axx", "xbx", "abx", "ABX", " Abx ", "Abx"),
    )


@pytest.mark.parametrize(
    ("default", "values"),
    [
        ("-", ("_", ", ", " ", "/", "")),
        ("%(size)d", ("<%(size)d>",)),
        ("{:.2f}", ("<{:.2f}>",)),
        ("km", ()),
    ],
)
def test_an_option_with_a_text_as_default_takes_no_ordinary_text(
    default: str, values: tuple[str, ...]
) -> None:
    usual = usual_of([], [], default)

    assert usual.values == values
    assert not usual.takes_any_text


def sphinx(unit="km", size=1):  # type: ignore[no-untyped-def]
    """Convert.

    :param unit: ``"km"``, "m" or
        'mi', and the user's choice.
    :param size: "not a text"
    """


def google(gender: str | None = None, other: int = 0) -> None:
    """Name.

    Args:
        gender (str): Either "male" or "female".
        other: Not "this".
    """


def numpy(mode) -> None:  # type: ignore[no-untyped-def]
    """Open.

    Parameters
    ----------
    mode : str
        One of 'read' and 'write'.

    name : str
        Not 'this'.
    """


def test_docstrings_of_every_style_name_types() -> None:
    assert "str" in documented_types(google, "gender")
    assert "str" in documented_types(numpy, "mode")
    assert set(documented_types(sphinx, "unit")) == {""}


def test_a_docstring_names_texts_in_quotation_marks() -> None:
    assert described_texts(sphinx, "unit") == ["km", "m", "mi"]
    assert described_texts(sphinx, "size") == []
    assert described_texts(google, "gender") == ["male", "female"]
    assert described_texts(google, "other") == []
    assert described_texts(numpy, "mode") == ["read", "write"]
    assert described_texts(None, "mode") == []


UNITS = {"km": 1.0, "m": 1000.0}
MODES = ("read", "write")


def converted(length: float, unit: str = "km") -> float:
    return length * UNITS[unit]


def opened(mode: str = "append") -> bool:
    return mode in MODES


def test_a_word_of_a_collection_has_the_others_beside_it() -> None:
    units = by_key(units_of([f"{__name__}:converted", f"{__name__}:opened"]))
    arguments = Arguments(units)

    assert arguments.usual(units[f"{__name__}:converted"], "unit").values[:2] == ("km", "m")
    assert arguments.usual(units[f"{__name__}:opened"], "mode").values == ()
