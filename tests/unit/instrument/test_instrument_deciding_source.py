from __future__ import annotations

import pytest

from pytest_evosearch.instrument.deciding_source import DecidingSource

SOURCE = """\
def add(request, products):
    year = request.form.get("birth_year")
    if year and not year.isdigit():
        return 400
    for item in request.json["items"]:
        product = products.get(item.get("product_id"))
        if product is None:
            return 404
    year = 7
    if who() is None:
        return 401
"""


@pytest.mark.parametrize(
    ("line", "told", "untold"),
    [
        (3, ("year.isdigit", "birth_year"), ("7", "items")),
        (7, ("product is None", "product_id", "items"), ("birth_year",)),
        (10, ("who() is None",), ("birth_year", "product_id")),
    ],
)
def test_a_condition_is_told_with_what_gave_its_names_their_values(line, told, untold):
    text = DecidingSource(SOURCE).at(line)

    assert all(word in text for word in told)
    assert not any(word in text for word in untold)


def test_a_line_that_is_no_source_decides_nothing():
    assert DecidingSource(SOURCE).at(99) == ""
    assert DecidingSource("if broken:").at(1) == "if broken:"
