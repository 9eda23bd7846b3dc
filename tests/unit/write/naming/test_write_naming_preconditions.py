"""Which header of a condition failed, or is missing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Origin
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.naming.candidates import name_candidates
from pytest_evosearch.write.naming.condition_choice import describe_condition
from pytest_evosearch.write.naming.stories import siblings_of


def put_pet(status: int, *headers: tuple[str, str]) -> Exchange:
    request = Request("PUT", "/pets/{id}", path={"id": "1"}, json={"name": "a"}, has_json=True)
    return Exchange(replace(request, headers=headers), Response(status))


UNKNOWN = put_pet(404, ("If-Match", "a"))
PLAIN = put_pet(428)
WRONG = put_pet(412, ("If-Match", "a"))


@pytest.mark.parametrize(
    ("act", "name"),
    [
        (PLAIN, "test_put_pet_missing_if_match_returns_428"),
        (WRONG, "test_put_pet_wrong_if_match_returns_412"),
    ],
)
def test_a_condition_stands_in_the_name(act: Exchange, name: str) -> None:
    siblings = siblings_of([Specimen((one,)) for one in (UNKNOWN, PLAIN, WRONG)])
    assert next(name_candidates(Specimen((act,)), siblings, {})) == name


def test_a_tag_that_an_earlier_answer_gave_is_outdated() -> None:
    origins = {("header", "If-Match"): Origin(0, ("header", "ETag"))}
    act = replace(WRONG, request=replace(WRONG.request, origins=origins))
    assert describe_condition(act, [act]).phrase == "outdated_if_match"


def test_without_a_header_that_others_send_nothing_is_said() -> None:
    assert describe_condition(PLAIN, [PLAIN]).phrase == ""
    assert describe_condition(put_pet(412), [PLAIN]).phrase == ""
