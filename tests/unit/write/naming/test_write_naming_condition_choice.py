"""What a test is called after: what is proven best, and nothing that did not matter."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Origin
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.exchange import Upload
from pytest_evosearch.problem.http.exchanges.seen_inside import Evidence as Inside
from pytest_evosearch.problem.http.exchanges.seen_inside import Outgoing
from pytest_evosearch.write.content.builder import Surroundings
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.naming.candidates import name_candidates
from pytest_evosearch.write.naming.condition_choice import describe_condition
from pytest_evosearch.write.naming.decisive_inputs import UNKNOWN
from pytest_evosearch.write.naming.decisive_inputs import Decisions
from pytest_evosearch.write.naming.planned_functions import Verdicts
from pytest_evosearch.write.naming.planned_functions import build_planned
from pytest_evosearch.write.naming.proven_conditions import Condition
from pytest_evosearch.write.naming.proven_conditions import Evidence
from pytest_evosearch.write.naming.stories import siblings_of
from pytest_evosearch.write.naming.suite_plan import plan_suite

JSON = (("Content-Type", "application/json"),)


def order(status: int, said: bytes = b"", **body: object) -> Exchange:
    request = Request("POST", "/orders", json={"book": 1, **body}, has_json=True)
    return Exchange(request, Response(status, JSON, said))


SERVED = order(201)


def test_a_success_is_named_by_what_is_sent_rather_than_by_what_is_not() -> None:
    added = Exchange(Request("POST", "/places", form=(("name", "Quay"),)), Response(302))
    changed = Request("POST", "/places", form=(("new_name", "Pier"), ("place", "1")))
    edited = Exchange(changed, Response(302))

    found = describe_condition(edited, [added, edited], decisions=Decisions("if form.name:", True))

    assert found.phrase == "with_new_name_and_place"


@pytest.mark.parametrize(
    ("decisions", "evidence", "name"),
    [
        (UNKNOWN, Evidence.ALONE, "test_post_orders_empty_discount_returns_201"),
        (
            Decisions('if body["discount"] == "":', True),
            Evidence.DECIDED,
            "test_post_orders_empty_discount_returns_201",
        ),
        (Decisions("if who is None:", True), Evidence.DIFFERS, "test_post_orders_returns_201"),
    ],
)
def test_what_did_not_matter_stands_in_no_name(
    decisions: Decisions, evidence: Evidence, name: str
) -> None:
    empty = order(201, discount="")

    found = describe_condition(empty, [SERVED, empty], decisions=decisions)

    assert (found.phrase, found.evidence) == ("empty_discount", evidence)
    specimens = [Specimen((empty,)), Specimen((SERVED,))]
    siblings = siblings_of(specimens)
    names = list(name_candidates(specimens[0], siblings, {}, found))
    assert names[0] == name
    assert "test_post_orders_empty_discount_returns_201" in names, "it tells two tests apart"


@pytest.mark.parametrize(
    ("status", "said", "decisions", "phrase"),
    [
        (404, b"", UNKNOWN, "unknown_product"),
        (422, b'{"error": "amount is too large"}', UNKNOWN, "invalid_amount"),
        (422, b"", Decisions("if item['amount'] > stock:", True), "invalid_amount"),
        (422, b"", UNKNOWN, "invalid_items"),
    ],
)
def test_the_part_of_a_document_is_named_that_is_proven(
    status: int, said: bytes, decisions: Decisions, phrase: str
) -> None:
    served = order(201, items=[{"product_id": 1, "amount": 1}])
    refused = order(status, said, items=[{"product_id": 8, "amount": 9}])

    found = describe_condition(refused, [served, refused], decisions=decisions)

    assert found.phrase == phrase


def test_what_is_not_found_is_what_the_address_says() -> None:
    put = Request("PUT", "/news/{id}", path={"id": 1}, json={"number": 1}, has_json=True)
    lost = Exchange(replace(put, path={"id": 0}, json={}), Response(404))
    decisions = Decisions('if "number" in body:', True)

    found = describe_condition(lost, [Exchange(put, Response(200)), lost], decisions=decisions)

    assert found.phrase == "unknown_id"


def test_a_word_stands_out_among_numbers() -> None:
    get = Request("GET", "/sums", query=(("a", 1), ("b", 2)))
    refused = Exchange(replace(get, query=(("a", 5), ("b", "x"))), Response(400))

    found = describe_condition(refused, [Exchange(get, Response(200)), refused])

    assert found.phrase == "invalid_b"


def test_a_refusal_is_told_once_whatever_else_is_sent() -> None:
    def short(amount: int, **more: object) -> Specimen:
        return Specimen((order(409, b'{"error": "not enough in stock"}', amount=amount, **more),))

    specimens = [short(50), short(90, discount="a"), short(70, discount="b")]

    tests = plan_suite(specimens, Surroundings()).tests

    assert [one.name for one in tests] == ["test_post_orders_not_enough_in_stock_returns_409"]
    assert len(tests[0].specimens) == 3


def test_what_the_code_asks_for_tells_two_tests_apart_first() -> None:
    sent = order(201, note="x", voucher="a")
    decisions = Decisions("if voucher in VOUCHERS:", True)
    specimens = [Specimen((sent,)), Specimen((order(201, note="y", voucher="b"),))]
    siblings = siblings_of(specimens)

    found = describe_condition(sent, [one.act for one in specimens], decisions=decisions)
    names = list(name_candidates(specimens[0], siblings, {}, Condition(decided=found.decided)))

    assert found.decided == ("voucher",)
    telling = [name for name in names if "with_" in name]
    assert telling[0] == "test_post_orders_with_voucher_returns_201"


def test_a_conflict_is_about_an_input_that_the_code_decided_by() -> None:
    refused = order(409, amount=90)
    served = order(201, amount=1)
    decisions = Decisions("if amount > book.stock:", True)

    assert describe_condition(refused, [served, refused]).phrase == ""
    found = describe_condition(refused, [served, refused], decisions=decisions)
    assert found.phrase == "conflicting_amount"


MOVE = Request("POST", "/tickets/{ticket_id}/state", path={"ticket_id": 1}, has_json=True)
MADE = {("path", "ticket_id"): Origin(0, ("json", "id"))}


@pytest.mark.parametrize(
    ("usual", "status", "phrase"),
    [
        ({"state": "open"}, 409, "missing_state"),
        ({"state": "open"}, 400, "missing_state"),
        ({}, 409, ""),
        ({}, 400, ""),
    ],
)
def test_what_an_earlier_answer_handed_out_is_not_to_blame(
    usual: dict[str, str], status: int, phrase: str
) -> None:
    served = Exchange(replace(MOVE, json=usual), Response(200))
    refused = Exchange(replace(MOVE, json={}, origins=MADE), Response(status))
    source = "if wanted not in MOVES[ticket.state]:  # ticket_id state"

    found = describe_condition(refused, [served, refused], decisions=Decisions(source, True))

    assert found.phrase == phrase


@pytest.mark.parametrize(
    ("request_", "phrase"),
    [
        (Request("POST", "/basket", json=42, has_json=True), "json_scalar"),
        (Request("POST", "/basket", json={"name": "a"}, has_json=True), "unknown_name"),
        (Request("GET", "/lookup", query=(("isbn", "0"),)), "unknown_isbn"),
        (Request("GET", "/lookup"), ""),
    ],
)
def test_not_found_without_an_address_is_about_what_was_sent(
    request_: Request, phrase: str
) -> None:
    act = Exchange(request_, Response(404))
    assert describe_condition(act, [act]).phrase == phrase


def test_a_file_that_other_refusals_got_too_is_not_missing() -> None:
    def upload(status: int, content: bytes) -> Exchange:
        files = (("file", Upload("file.csv", content)),)
        return Exchange(Request("POST", "/stock/import", files=files), Response(status))

    empty, siblings = upload(422, b""), [upload(400, b""), upload(422, b"a")]
    assert describe_condition(empty, [empty, *siblings]).phrase == "empty_file"


SOLD_OUT = b'{"error": "sold out"}'
BOTH = Decisions("if body.get('book') in SOLD:\nif amount > 12:", True)


@pytest.mark.parametrize(
    ("refused", "phrase"),
    [
        (order(400, SOLD_OUT, book=2), ""),
        (order(409, SOLD_OUT, book=2), ""),
        (order(400, SOLD_OUT, book=1, amount=5), ""),
        (order(400, SOLD_OUT, book=1, amount=7), "invalid_amount"),
        (order(400, SOLD_OUT, book=1, amount=5, seat_id=8), ""),
        (order(400, SOLD_OUT, book=1, amount=5, seat_id="x"), "invalid_seat_id"),
        (order(404, SOLD_OUT, book=1, amount=5, seat_id=8), "unknown_seat"),
    ],
)
def test_a_value_that_was_accepted_elsewhere_is_not_invalid(refused: Exchange, phrase: str) -> None:
    accepted = [order(201, book=2, amount=1), order(201, amount=5, seat_id=7)]

    found = describe_condition(refused, [SERVED, refused], decisions=BOTH, accepted=accepted)

    assert found.phrase == phrase


def test_a_row_is_not_called_after_an_input_that_every_row_sends() -> None:
    full, empty = frozenset({"branch shop.py:4 True"}), frozenset({"branch shop.py:4 False"})
    tests = [
        Specimen((order(409, SOLD_OUT, seat_id=8),), covered=full),
        Specimen((order(409, SOLD_OUT, seat_id=7, amount=13),), covered=full),
        Specimen((order(201, seat_id=7),), covered=empty),
    ]
    around = Surroundings(source_of=lambda _target: "if free[body['seat_id']] < amount:")
    plan = plan_suite(tests, around)
    [table] = [one for one in plan.tests if len(one.specimens) > 1]

    functions = build_planned(table, tests, around, Verdicts(), plan, plan.renaming(table.module))

    [(written, _members)] = functions
    assert written.rows is not None
    assert written.rows.ids == ("without-amount", "book-1-seat-id-7-amount-13")


@pytest.mark.parametrize(
    ("asked", "phrase"),
    [
        (Outgoing("prices.internal", failure="time-out"), "service_time_out"),
        (Outgoing("GET http://prices.internal/today", status=404), "service_answers_404"),
    ],
)
def test_a_service_that_fails_is_the_cause_and_no_input(asked: Outgoing, phrase: str) -> None:
    late = replace(order(400, discount=""), evidence=Inside(outgoing=(asked,)))

    assert describe_condition(late, [SERVED, late]).phrase == phrase
