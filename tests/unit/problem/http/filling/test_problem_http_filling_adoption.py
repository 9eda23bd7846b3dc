from __future__ import annotations

from random import Random

import pytest

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.choice import ChoiceGene
from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.optional import Field
from pytest_evosearch.genes.optional import OptionalGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.filling.adoption import applied
from pytest_evosearch.problem.http.filling.hints import Hint

BODY = (Location.JSON, "")
POST = Endpoint("POST", "/news", "news")


def adopted(body: Gene) -> object:
    """Apply the hint that the body's country should be Norway; None when it cannot be."""
    call = Call(POST.key, (Input(*BODY, body),), 1)
    hint = Hint("branch news.py:3 true", 0, POST.key, BODY, (), ("country",), "Norway")
    individual = applied(Individual((call,)), hint, EndpointModel([POST]), Random(1))
    return None if individual is None else individual.calls[0].inputs[0].gene.value()


@pytest.mark.parametrize(
    "body",
    [
        ObjectGene(),
        ObjectGene((Field("country", TextGene()),)),
        ObjectGene((Field("country", OptionalGene(TextGene(), False), required=False),)),
        ChoiceGene((ObjectGene(), TextGene())),
    ],
)
def test_place_is_found_made_or_switched_on(body: Gene) -> None:
    assert adopted(body) == {"country": "Norway"}


def test_body_that_is_no_object_at_present_is_left() -> None:
    assert adopted(ChoiceGene((TextGene(), ObjectGene()), 0)) is None
