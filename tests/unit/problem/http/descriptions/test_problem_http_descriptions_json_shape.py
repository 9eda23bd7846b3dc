from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_evosearch.genes.base import Path
from pytest_evosearch.genes.collections import Field
from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.http.descriptions.json_shape import with_leaf

LEAF = TextGene(current="a")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("title",), {"title": "a"}),
        (("book", "title"), {"book": {"title": "a"}}),
        (("books", 0, "title"), {"books": [{"title": "a"}]}),
    ],
)
def test_a_body_grows_by_what_is_read_of_it(path: Path, value: object) -> None:
    assert with_leaf(None, path, LEAF).value() == value


def test_a_name_that_the_body_holds_undeclared_is_grown_in_its_place() -> None:
    book = ObjectGene((Field("title", LEAF),))
    body = replace(ObjectGene(additional=book), extras=(Field("1", book),))

    body_then = with_leaf(with_leaf(body, ("1",), LEAF), ("1", "author"), LEAF)

    assert isinstance(body_then, ObjectGene)
    assert [one.name for one in (*body_then.fields, *body_then.extras)] == ["1"]
    assert body_then.value() == {"1": {"title": "a", "author": "a"}}
