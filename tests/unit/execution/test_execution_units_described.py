"""How results of units are told."""

from __future__ import annotations

import pytest

from pytest_evosearch.execution.units.described import described
from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.problem.units.results import Instance


class Tagged:
    """An object whose text shows the elements of a set that it holds."""

    def __init__(self, *tags: object) -> None:
        self._tags = {"held": [set(tags)]}

    def __repr__(self) -> str:
        return f"Tagged({self._tags})"


KIND = Named(__name__, "Tagged")


@pytest.mark.parametrize(
    ("tags", "shown"),
    [
        (("one",), (("__repr__", "Tagged({'held': [{'one'}]})"),)),
        ((1, 2), (("__repr__", "Tagged({'held': [{1, 2}]})"),)),
        (("one", "two"), ()),
    ],
)
def test_a_text_with_several_texts_of_a_set_is_not_told(
    tags: tuple[object, ...], shown: tuple[tuple[str, str], ...]
) -> None:
    assert described([Tagged(*tags)]) == [Instance(KIND, shown)]
