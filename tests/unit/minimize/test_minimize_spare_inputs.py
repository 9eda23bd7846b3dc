from __future__ import annotations

import pytest

from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.optional import Field
from pytest_evosearch.genes.optional import OptionalGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.minimize.spare_inputs import SpareInputs
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input


def asking(endpoint: str = "GET /a", **values: str) -> Individual:
    """Return a test whose call sends a path, headers, and what else is given."""
    inputs = [Input(Location.PATH, "id", TextGene(current="7"))]
    inputs += [
        Input(Location.HEADER, name, TextGene(current=value)) for name, value in values.items()
    ]
    return Individual((Call(endpoint, tuple(inputs), 1),))


def posting(*names: str, optional: bool = False) -> Individual:
    fields = tuple(Field(name, TextGene(current="x")) for name in names)
    gene = ObjectGene(fields=fields)
    body = Input(Location.JSON, "", OptionalGene(gene) if optional else gene)
    return Individual((Call("POST /a", (body,), 1),))


def names(individual: Individual) -> list[str]:
    return [given.name for given in individual.calls[0].inputs]


def body(individual: Individual) -> object:
    return individual.calls[0].inputs[0].gene.value()


def test_what_one_test_could_do_without_is_left_out_of_the_next() -> None:
    spare = SpareInputs()
    spare.note(asking(accept="x", token="y"), asking(), polished=True)

    assert names(spare.without(asking(accept="z", token="y", further="f"))) == ["id", "further"]
    assert names(spare.without(asking("GET /b", accept="z"))) == ["id", "accept"]


def test_what_another_test_needs_is_kept() -> None:
    spare = SpareInputs()
    spare.note(asking(accept="x", token="y"), asking(), polished=True)
    spare.note(asking(accept="x", token="y"), asking(token="y"), polished=True)

    assert names(spare.without(asking(accept="x", token="y"))) == ["id", "token"]


def test_what_was_left_for_want_of_time_is_not_needed() -> None:
    spare = SpareInputs()
    spare.note(asking(token="y"), asking(), polished=True)
    spare.note(asking(token="y"), asking(token="y"), polished=False)

    assert names(spare.without(asking(token="y"))) == ["id"]


@pytest.mark.parametrize("optional", [False, True])
def test_members_of_documents_go_one_by_one(optional: bool) -> None:
    spare = SpareInputs()
    spare.note(posting("name", "size", "colour"), posting("name"), polished=True)

    test = posting("name", "size", "weight", optional=optional)

    assert body(spare.without(test)) == {"name": "x", "weight": "x"}


def test_a_test_of_which_nothing_is_spare_stays_the_same() -> None:
    test = asking(token="y")

    assert SpareInputs().without(test) == test
