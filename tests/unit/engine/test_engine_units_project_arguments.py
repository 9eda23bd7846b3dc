from __future__ import annotations

from pytest_evosearch.engine.extensions import Extensions
from pytest_evosearch.engine.units.project_arguments import project_arguments
from pytest_evosearch.genes.constructed import Made
from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.problem.units.inventory import units_of
from pytest_evosearch.problem.units.unit import by_key

UNITS = by_key(units_of(["textwrap:shorten"]))


def empty_text() -> str:
    return ""


def test_functions_are_called_in_tests_and_other_values_are_spelled() -> None:
    told: list[str] = []
    answers = {"text": ["a b", empty_text, object()], "width": [5]}
    extensions = Extensions(
        unit_arguments=lambda _unit, name: answers.get(name, ()), notify=told.append
    )

    given = project_arguments(UNITS, extensions)["textwrap:shorten"]

    assert given["text"] == ["a b", Made(Named(__name__, "empty_text"))]
    assert given["width"] == [5]
    assert len(told) == 1
    assert "which no test can spell" in told[0]
    assert "textwrap:shorten (text)" in told[0]
