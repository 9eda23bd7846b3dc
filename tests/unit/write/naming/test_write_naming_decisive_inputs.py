"""Conditions of the code that only one test brings to a side, as evidence for its name."""

from __future__ import annotations

from pytest_evosearch.core.targets import branch_target
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.naming.condition_choice import describe_condition
from pytest_evosearch.write.naming.decisive_inputs import UNKNOWN
from pytest_evosearch.write.naming.decisive_inputs import Decisions
from pytest_evosearch.write.naming.decisive_inputs import decided_by

SOURCE = {4: 'if data["lang"] not in LANGS:', 7: "if len(data['pages']) > 9:"}


def source_of(target):
    return SOURCE[int(target.split(":")[1].split()[0])]


def specimen(status, *sides, **fields):
    request = Request("POST", "/books", json=fields, has_json=True)
    covered = frozenset(branch_target("app.py", line, label) for line, label in sides)
    return Specimen((Exchange(request, Response(status)),), covered=covered)


SERVED = specimen(201, (4, "false"), (7, "false"), title="a", pages=[1], lang="en")
REFUSED = specimen(400, (4, "true"), title="b", pages=[1, 2], lang="a")


def test_what_only_one_test_decides_is_told_by_its_source():
    assert decided_by(REFUSED, [SERVED, REFUSED], source_of) == Decisions(SOURCE[4], True)
    assert decided_by(SERVED, [SERVED, REFUSED], source_of) == UNKNOWN
    assert decided_by(REFUSED, [REFUSED], source_of) == UNKNOWN, "nothing is usual"


def test_inputs_that_the_code_has_looked_at_are_named():
    slots = [("json", "title"), ("json", "lang")]
    assert Decisions(SOURCE[4]).about(slots) == [("json", "lang")]
    assert Decisions("if who is None:").about(slots) == []


def test_a_condition_names_what_the_code_has_decided_by():
    siblings = [SERVED.act, REFUSED.act]
    decided = decided_by(REFUSED, [SERVED, REFUSED], source_of)
    assert describe_condition(REFUSED.act, siblings, False, (), decided).phrase == "invalid_lang"
    assert describe_condition(REFUSED.act, siblings).phrase == "invalid_data"


def test_what_differs_inside_of_an_input_is_named():
    def ordered(status, product, amount=1):
        items = [{"product_id": product, "amount": amount}]
        request = Request("POST", "/orders", json={"items": items}, has_json=True)
        return Exchange(request, Response(status))

    served = ordered(201, 1)
    for refused, phrase in (
        (ordered(400, 99), "unknown_product"),
        (ordered(400, 1, -1), "negative_amount"),
        (ordered(400, 1, "x"), "invalid_amount"),
        (ordered(400, 2, 3), "invalid_items"),
    ):
        assert describe_condition(refused, [served, refused]).phrase == phrase
