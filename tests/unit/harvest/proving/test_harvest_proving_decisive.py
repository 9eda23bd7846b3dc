"""A cause is what a repair has shown, by execution."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace

import pytest

from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import query_target
from pytest_evosearch.core.targets import statement_target
from pytest_evosearch.execution.full_evaluation import FullEvaluation
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.choice import ConstantGene
from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.optional import Field
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.harvest.proving.decisive import Decisive
from pytest_evosearch.harvest.proving.handed_out import lacks_token
from pytest_evosearch.harvest.proving.improvements import Improvements
from pytest_evosearch.harvest.proving.known_calls import MOST_REPAIRS
from pytest_evosearch.harvest.proving.known_calls import KnownCalls
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.http.composing.rows import RowComposer
from pytest_evosearch.problem.http.composing.rows import RowKind
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import LinkGene
from pytest_evosearch.problem.http.exchanges.observed import exchanges_of
from pytest_evosearch.problem.http.exchanges.request import build_request
from pytest_evosearch.problem.http.exchanges.seen_inside import Crash
from pytest_evosearch.write.content.inputs import LINKED
from pytest_evosearch.write.content.proven_causes import ALL_ROWS
from pytest_evosearch.write.content.proven_causes import BEFORE
from pytest_evosearch.write.content.proven_causes import NOT_SENT
from pytest_evosearch.write.content.proven_causes import ROW
from pytest_evosearch.write.content.proven_causes import STORED
from pytest_evosearch.write.content.proven_causes import USER
from pytest_evosearch.write.content.proven_causes import WHOLE_BODY
from pytest_evosearch.write.content.proven_causes import Cause

Handler = Callable[[Request, "str | None", "list[Exchange]"], Response]

BOOKS = Endpoint("POST", "/books", "books")
BOOK = Endpoint("GET", "/books/{id}", "book")
DUTY = frozenset({TargetId("line 1")})


@dataclass
class Application:
    """Answers with a function, and counts the executions."""

    answer: Handler
    crash: Callable[[Request], Crash | None] = lambda _: None
    covered: Callable[[Exchange], frozenset[TargetId]] = lambda _: DUTY
    executed: list[Individual] = field(default_factory=list)
    endpoints: tuple[Endpoint, ...] = ()

    def execute(self, individual: Individual) -> FullEvaluation[Individual]:
        self.executed.append(individual)
        exchanges: list[Exchange] = []
        earlier: dict[int, tuple[int, Exchange]] = {}
        for place, call in enumerate(individual):
            known = {one.key: one for one in (BOOKS, BOOK, *self.endpoints)}
            endpoint = known[call.endpoint]
            request = build_request(call, endpoint, earlier)
            answer = self.answer(request, call.user, exchanges)
            exchange = Exchange(request, answer, call.user, self.crash(request))
            exchanges.append(exchange)
            earlier[call.label] = (place, exchange)
        evaluation = Evaluation(
            individual, {}, (1, 1), observation=Observation(individual, tuple(exchanges))
        )
        return FullEvaluation(evaluation, tuple(map(self.covered, exchanges)))

    def causes(
        self, refused: Individual, *accepted: Individual, rows: RowComposer | None = None
    ) -> tuple[Cause, ...]:
        decisive = Decisive(KnownCalls(self.execute, rows=rows))
        decisive.known.note_all(map(self.execute, (*accepted, refused)))
        act = exchanges_of(self.execute(refused).evaluation)[-1]
        self.executed.clear()
        return decisive.causes(refused, act)


def created(body: object, label: int = 0, user: str | None = None) -> Call:
    inputs = () if body is None else (Input(Location.JSON, "", ConstantGene(body)),)
    return Call(BOOKS.key, inputs, label, user)


def read(identifier: Gene, label: int = 1) -> Call:
    return Call(BOOK.key, (Input(Location.PATH, "id", identifier),), label)


def sending(*calls: Call) -> Individual:
    return Individual(calls)


def shop(request: Request, user: str | None, earlier: list[Exchange]) -> Response:
    if request.method == "GET":
        known = [str(number + 1) for number in range(len(earlier))]
        return Response(200 if str(request.path["id"]) in known else 404)
    body = request.json
    if not isinstance(body, dict):
        return Response(415)
    stock = body.get("stock", 0)
    if not isinstance(stock, int) or not 0 <= stock <= 10 or not body.get("title"):
        return Response(400)
    return Response(201, (("Content-Type", "application/json"),), b'{"id": 1}')


GOOD = {"title": "a", "stock": 1}


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        ({"title": "a", "stock": -1}, Cause("json", "stock", -1, 1)),
        ({"title": "b", "stock": 99}, Cause("json", "stock", 99, 1)),
        ({"stock": 2}, Cause("json", "title", NOT_SENT, "a")),
        ([], Cause(WHOLE_BODY, "json list", [], "json")),
        (None, Cause(WHOLE_BODY, "", None, "json")),
    ],
)
def test_the_part_whose_repair_ends_a_refusal_is_the_cause(body: object, cause: Cause) -> None:
    application = Application(shop)

    assert application.causes(sending(created(body)), sending(created(GOOD))) == (cause,)
    assert len(application.executed) <= MOST_REPAIRS


def test_a_crash_for_a_missing_member_is_caused_by_it_though_another_one_is_missing_too() -> None:
    def crashed(request: Request) -> Crash | None:
        body = request.json if isinstance(request.json, dict) else {}
        names = ("payer", "amount", "note")
        line, name = next(
            ((line, name) for line, name in enumerate(names) if name not in body), (0, "")
        )
        return Crash("KeyError", "builtins", f"'{name}'", "a.py", line, "pay", "") if name else None

    application = Application(lambda *_: Response(500), crashed)

    def causes(body: object) -> list[str]:
        return [one.name for one in application.causes(sending(created(body)))]

    assert causes({}) == ["payer"]
    assert causes({"payer": "a"}) == ["amount"]
    assert causes({"payer": "a", "amount": "a"}) == ["note"]
    assert application.causes(sending(created(None))) == ()


def test_a_crash_for_a_key_of_the_application_is_not_caused_by_what_is_not_sent() -> None:
    crash = Crash("KeyError", "builtins", "'LIMIT'", "a.py", 7, "limit", "")

    assert (
        Application(lambda *_: Response(500), lambda _: crash).causes(
            sending(created({"payer": "a"}))
        )
        == ()
    )


def test_an_object_without_members_is_the_cause_where_any_member_ends_the_refusal() -> None:
    def full(request: Request, user: str | None, earlier: list[Exchange]) -> Response:
        return Response(200 if request.json else 400)

    def named(request: Request, user: str | None, earlier: list[Exchange]) -> Response:
        body = request.json if isinstance(request.json, dict) else {}
        return Response(200 if "a" in body else 400)

    empty, accepted = sending(created({})), sending(created({"a": "a"}))
    assert Application(full).causes(empty, accepted) == (Cause(WHOLE_BODY, "json", {}, "json"),)
    assert Application(named).causes(empty, accepted) == (Cause("json", "a", NOT_SENT, "a"),)


def test_of_two_wrong_parts_neither_is_the_cause() -> None:
    refused = sending(created({"title": "", "stock": -1}))

    assert Application(shop).causes(refused, sending(created(GOOD))) == ()


def test_where_no_call_was_accepted_what_another_call_made_is_asked_for() -> None:
    unknown = sending(read(ConstantGene(7)))

    assert Application(shop).causes(unknown) == ()
    (cause,) = Application(shop).causes(unknown, sending(created(GOOD)))
    assert (cause.location, cause.name, cause.value) == ("path", "id", 7)


def test_what_is_there_may_be_named_by_what_was_sent_or_be_the_first_of_its_kind() -> None:
    def silent(request: Request, user: str | None, earlier: list[Exchange]) -> Response:
        if request.method == "POST":
            return Response(201)
        known = {"1": user is None, "ann": any(one.user == "bob" for one in earlier)}
        return Response(200 if known.get(str(request.path["id"])) else 404)

    unknown = sending(read(TextGene(current="x")))

    (first,) = Application(silent).causes(unknown)
    assert (first.value, first.usual) == ("x", 1)
    made = sending(created({"id": "ann"}, user="bob"))
    (named,) = Application(lambda *given: silent(*given[:1], "", given[2])).causes(unknown, made)
    assert (named.value, named.usual) == ("x", "linked")


def test_an_unknown_address_may_need_both_another_value_and_what_makes_it() -> None:
    made = sending(created(GOOD), read(ConstantGene(1)))

    (cause,) = Application(shop).causes(sending(read(ConstantGene(7))), made)

    assert cause == Cause("path", "id", 7, "linked")


def test_an_item_of_others_is_the_cause_where_one_of_its_own_is_given() -> None:
    def owned(request: Request, user: str | None, earlier: list[Exchange]) -> Response:
        if request.method == "GET" and str(request.path["id"]) == "0":
            return Response(403)
        return shop(request, user, earlier)

    made = sending(created(GOOD), read(ConstantGene(1)))

    (cause,) = Application(owned).causes(sending(read(ConstantGene(0))), made)

    assert cause == Cause("path", "id", 0, "linked")


def test_an_unknown_address_is_the_cause_where_a_known_one_has_its_contents_refused() -> None:
    def edited(request: Request, user: str | None, earlier: list[Exchange]) -> Response:
        if str(request.path.get("id")) != "1":
            return Response(404)
        return Response(200 if request.query else 400)

    asked = Input(Location.QUERY, "title", ConstantGene("a"))
    known = read(ConstantGene(1))
    accepted = Call(known.endpoint, (*known.inputs, asked), 1)

    for accepted_ones in ((), (sending(accepted),)):
        (cause,) = Application(edited).causes(sending(read(ConstantGene(7))), *accepted_ones)
        assert (cause.location, cause.value, cause.usual) == ("path", 7, 1)


def test_where_no_call_was_accepted_what_another_test_stores_is_asked_for() -> None:
    def stored(request: Request, user: str | None, earlier: list[Exchange]) -> Response:
        if request.method == "POST":
            return Response(200, (("Content-Type", "application/json"),), b'[{"id": 1}]')
        return Response(200 if request.rows and str(request.path["id"]) == "1" else 404)

    row = Input(Location.ROW, "shop.Book 1", ConstantGene({"title": "a"}))
    application = Application(stored)
    decisive = Decisive(KnownCalls(application.execute))
    unknown = application.execute(sending(read(ConstantGene(7))))
    decisive.known.note_all([application.execute(sending(Call(BOOKS.key, (row,), 0))), unknown])

    found = Improvements(decisive).ordinary(unknown, DUTY).evaluation
    causes = decisive.causes(found.individual, exchanges_of(found)[-1])
    assert causes == (Cause(ROW, "shop.Book", NOT_SENT, {"title": "a"}),)


def test_all_rows_are_the_cause_where_one_refers_to_another() -> None:
    def linked(request: Request, user: str | None, earlier: list[Exchange]) -> Response:
        return Response(200 if len(request.rows) == 2 else 404)

    rows = [
        Input(Location.ROW, name, ConstantGene({"name": "a"}))
        for name in ("shop.Store", "shop.Item")
    ]
    known = read(ConstantGene(1))
    stored = sending(Call(known.endpoint, (*known.inputs, *rows), 1))

    (cause,) = Application(linked).causes(sending(known), stored)

    assert (cause.location, cause.name, cause.value) == (ROW, ALL_ROWS, NOT_SENT)


def test_of_several_missing_parts_one_is_left_out_that_shows_the_same() -> None:
    def strict(request: Request, user: str | None, earlier: list[Exchange]) -> Response:
        body = request.json if isinstance(request.json, dict) else {}
        return Response(201 if {"title", "stock"} <= body.keys() else 400)

    application = Application(strict)
    decisive = Decisive(KnownCalls(application.execute))
    refused = application.execute(sending(created({"note": "new"})))
    decisive.known.note_all([application.execute(sending(created(GOOD))), refused])

    found = Improvements(decisive).ordinary(refused, DUTY).evaluation.individual
    assert found.calls[-1].inputs[-1].gene.value() == {"stock": 1}
    assert Improvements(decisive).ordinary(refused, frozenset({TargetId("line 2")})) is refused


def test_a_value_that_an_accepted_call_sends_is_no_cause_beside_an_unusual_one() -> None:
    def log_in(request: Request, user: str | None, earlier: list[Exchange]) -> Response:
        body = request.json if isinstance(request.json, dict) else {}
        if body.get("name") == "ann" and "password" not in body:
            return Response(500)
        return Response(200 if body.get("password") else 401)

    accepted = [{"name": "bob", "password": "a"}, {"name": "ann", "password": "a", "more": 1}]
    found = Application(log_in).causes(
        sending(created({"name": "ann"})), *(sending(created(one)) for one in accepted)
    )

    assert found == (Cause("json", "password", NOT_SENT, "a"),)


def test_without_an_accepted_call_there_is_no_cause() -> None:
    assert Application(shop).causes(sending(created({"title": ""}))) == ()


def test_a_good_value_may_come_from_a_call_that_the_repaired_test_sends_first() -> None:
    application = Application(shop)
    linked = read(LinkGene(0, ("json", "id"), ConstantGene(7)))

    found = application.causes(sending(read(ConstantGene(9))), sending(created(GOOD), linked))

    assert found == (Cause("path", "id", 9, "linked"),)
    assert [len(one) for one in application.executed] == [2]


def test_what_an_earlier_call_makes_may_be_all_that_is_missing() -> None:
    found = Application(shop).causes(
        sending(read(ConstantGene(1))), sending(created(GOOD), read(ConstantGene(1)))
    )

    assert found == (Cause(BEFORE),)


def test_a_caller_is_the_cause_where_another_one_is_let_in() -> None:
    def guarded(request: Request, user: str | None, earlier: list[Exchange]) -> Response:
        return shop(request, user, earlier) if user == "ann" else Response(401)

    refused, accepted = (sending(created(GOOD, user=user)) for user in (None, "ann"))

    assert Application(guarded).causes(refused, accepted) == (Cause(USER, "", None, "ann"),)


def test_a_caller_is_no_cause_who_only_may_make_what_others_see_too() -> None:
    def shelf(request: Request, user: str | None, earlier: list[Exchange]) -> Response:
        if request.method == "POST":
            return Response(201 if user else 403)
        made = any(one.status == 201 for one in earlier)
        return Response(200, (("Content-Type", "application/json"),), b"[1]" if made else b"[]")

    looking = read(ConstantGene(1))
    made = sending(created(GOOD, user="ann"), replace(looking, user="ann"))

    assert Application(shelf).causes(made, sending(looking)) == ()


def test_of_two_successes_only_another_kind_of_answer_is_special() -> None:
    def listing(request: Request, user: str | None, earlier: list[Exchange]) -> Response:
        title = request.json.get("title") if isinstance(request.json, dict) else None
        body = b"[]" if title == "b" else b"[1]"
        return Response(200, (("Content-Type", "application/json"),), body)

    usual, other = sending(created({"title": "a"})), sending(created({"title": "c"}))
    empty = sending(created({"title": "b"}))

    assert Application(listing).causes(other, usual) == ()
    assert Application(listing).causes(empty, usual) == (Cause("json", "title", "b", "a"),)


def test_what_a_field_names_may_be_made_by_the_calls_before() -> None:
    def found(request: Request, user: str | None, earlier: list[Exchange]) -> Response:
        if request.json == GOOD:
            return Response(201)
        return Response(200 if request.json == {"name": "ann"} and earlier else 404)

    known = sending(created(GOOD, 0), created({"name": "ann"}, 1))

    (cause,) = Application(found).causes(sending(created({"name": "x"})), known)

    assert cause == Cause("json", "name", "x", "linked")


FORM = b"<form></form>"
HTML = (("Content-Type", "text/html"),)


def registered(request: Request, user: str | None, earlier: list[Exchange]) -> Response:
    name = request.json.get("name") if isinstance(request.json, dict) else None
    return Response(302, (("Location", "/login"),)) if name else Response(200, HTML, FORM)


def test_a_redirect_to_the_log_in_refuses_no_one_who_gets_a_page_there() -> None:
    accepted, refused = sending(created({"name": "ann"})), sending(created({"name": ""}))

    assert Application(registered).causes(refused, accepted) == (Cause("json", "name", "", "ann"),)


def test_nothing_is_special_about_a_submission_that_leads_on() -> None:
    accepted, refused = sending(created({"name": "ann"})), sending(created({"name": ""}))

    assert Application(registered).causes(accepted, refused) == ()


def test_a_list_without_items_inside_a_document_is_another_kind_of_answer() -> None:
    def looking(request: Request, user: str | None, earlier: list[Exchange]) -> Response:
        found = request.json == {"title": "a"}
        body = b'{"hits": [1]}' if found else b'{"hits": []}'
        return Response(200, (("Content-Type", "application/json"),), body)

    usual, empty = sending(created({"title": "a"})), sending(created({"title": "b"}))

    assert Application(looking).causes(empty, usual) == (Cause("json", "title", "b", "a"),)


def test_a_call_that_shows_more_after_others_is_a_model_beside_itself_alone() -> None:
    def shelf(request: Request, user: str | None, earlier: list[Exchange]) -> Response:
        sent = request.json if isinstance(request.json, dict) else {}
        is_shown = "made" in sent or (earlier and sent.get("look") != "x")
        body = b'{"hits": [1]}' if is_shown else b'{"hits": []}'
        return Response(200, (("Content-Type", "application/json"),), body)

    making, looking = created({"made": 1}), created({"look": "a"}, 1)
    unseen = sending(making, created({"look": "x"}, 1))

    found = Application(shelf).causes(unseen, sending(making, looking), sending(looking))
    assert found == (Cause("json", "look", "x", "a"),)


def test_a_refused_test_gets_good_values_where_others_do_not_matter() -> None:
    def ordered(request: Request, user: str | None, earlier: list[Exchange]) -> Response:
        body = request.json if isinstance(request.json, dict) else {}
        if body.get("quantity") == 0:
            return Response(400, (), b"quantity")
        return Response(201 if body.get("book") == 1 else 404)

    application = Application(ordered)
    decisive = Decisive(KnownCalls(application.execute))
    accepted = application.execute(sending(created({"book": 1, "quantity": 5})))
    refused = application.execute(sending(created({"book": 0, "quantity": 0})))
    decisive.known.note_all([accepted, refused])

    found = Improvements(decisive).ordinary(refused, DUTY)

    (exchange,) = exchanges_of(found.evaluation)
    assert exchange.request.json == {"book": 1, "quantity": 0}


def form(**fields: str) -> Call:
    inputs = [Input(Location.FORM, name, ConstantGene(value)) for name, value in fields.items()]
    return Call(BOOKS.key, tuple(inputs), 0)


@pytest.mark.parametrize(
    ("sent", "better"),
    [
        ({"number": ""}, {"number": "", "name": "b", "place": "c"}),
        ({}, {"number": "", "name": "b", "place": "c"}),
        ({"number": "2"}, {"number": "2", "name": "b", "place": "c"}),
    ],
)
def test_a_form_is_sent_as_a_page_sends_it_with_what_is_wrong(
    sent: dict[str, str], better: dict[str, str]
) -> None:
    def counted(request: Request, user: str | None, earlier: list[Exchange]) -> Response:
        return Response(200 if dict(request.form).get("number") else 400, (), b"a number")

    application = Application(counted)
    decisive = Decisive(KnownCalls(application.execute))
    test = application.execute(sending(form(**sent)))
    accepted = application.execute(sending(form(number="1", name="b", place="c")))
    decisive.known.note_all([accepted, test])

    (exchange,) = exchanges_of(Improvements(decisive).ordinary(test, DUTY).evaluation)
    assert dict(exchange.request.form) == better


def test_a_form_without_fields_is_sent_with_those_of_its_page_where_that_is_alike() -> None:
    page = b"""<form method="post"><input name="email"><input name="password" type="password">
    <select name="kind"><option value="x"></select><input type="hidden" name="t" value="1">
    <input type="submit" name="go" value="Go"></form>"""
    application = Application(lambda *_: Response(200, (("Content-Type", "text/html"),), page))
    decisive = Decisive(KnownCalls(application.execute))

    found = Improvements(decisive).ordinary(application.execute(sending(form())), DUTY)

    (exchange,) = exchanges_of(found.evaluation)
    sent = dict(exchange.request.form)
    assert list(sent) == ["email", "password", "kind"]
    assert sent["kind"] == "x"
    assert all(sent.values())


@pytest.mark.parametrize(("is_alike", "users"), [(True, [None]), (False, ["ann", "ann"])])
def test_who_sends_a_password_was_not_logged_in_where_that_is_alike(
    is_alike: bool, users: list[str | None]
) -> None:
    def entered(request: Request, user: str | None, earlier: list[Exchange]) -> Response:
        return Response(401 if user is None and not is_alike else 403, (), b"no")

    application = Application(entered)
    decisive = Decisive(KnownCalls(application.execute))
    calls = form(name="ann", password="x"), form(name="ann", password="y")
    test = [replace(one, user="ann", label=at) for at, one in enumerate(calls)]

    found = Improvements(decisive).ordinary(application.execute(sending(*test)), DUTY)

    assert [one.user for one in found.evaluation.individual] == users


def test_a_field_that_a_crash_asks_for_is_empty_rather_than_left_out() -> None:
    def converted(request: Request) -> Crash | None:
        number = dict(request.form).get("number")
        kind = "TypeError" if number is None else "ValueError"
        return None if number else Crash(kind, "builtins", "", "shop.py", 4, "", "")

    application = Application(
        lambda request, *_: Response(500 if converted(request) else 200), converted
    )
    decisive = Decisive(KnownCalls(application.execute))
    test = application.execute(sending(form()))
    accepted = application.execute(sending(form(number="1", name="a")))
    decisive.known.note_all([accepted, test])

    (exchange,) = exchanges_of(Improvements(decisive).ordinary(test, DUTY).evaluation)
    assert dict(exchange.request.form) == {"number": "", "name": "a"}


def test_a_text_takes_the_place_of_another_type_where_that_does_not_matter() -> None:
    crash = Crash("Error", "binascii", "", "a.py", 1, "", "")
    application = Application(lambda *_: Response(500), lambda _: crash)
    decisive = Decisive(KnownCalls(application.execute))
    test = application.execute(sending(created({"token": "a", "nonce": 0})))
    others = [{"token": "b", "nonce": "b"}, {"token": "", "nonce": "bc"}]
    decisive.known.note_all([test, *(application.execute(sending(created(o))) for o in others)])

    (exchange,) = exchanges_of(Improvements(decisive).ordinary(test, DUTY).evaluation)
    assert exchange.request.json == {"token": "a", "nonce": "b"}


def test_a_number_stays_where_the_name_means_one_though_most_calls_sent_texts() -> None:
    application = Application(lambda *_: Response(200))
    decisive = Decisive(KnownCalls(application.execute))
    test = application.execute(sending(created({"chat_id": 1, "text": 0})))
    others = [{"chat_id": "id", "text": "b"}, {"chat_id": "", "text": "bc"}]
    decisive.known.note_all([test, *(application.execute(sending(created(o))) for o in others)])

    (exchange,) = exchanges_of(Improvements(decisive).ordinary(test, DUTY).evaluation)
    assert exchange.request.json == {"chat_id": 1, "text": "bc"}


def test_of_two_missing_rows_one_is_stored_where_the_other_crashes_alike() -> None:
    def like(request: Request) -> Crash | None:
        stored = {row.model for row in request.rows}
        error = Crash("AttributeError", "builtins", "no 'like'", "shop.py", 4, "like", "")
        if "shop.User" not in stored:
            return error
        return None if "shop.Book" in stored else replace(error, line=5)

    application = Application(lambda r, *_: Response(500 if like(r) else 200), like)
    decisive = Decisive(KnownCalls(application.execute))
    rows = [Input(Location.ROW, f"shop.{one} 1", ConstantGene({})) for one in ("Book", "User")]
    accepted = application.execute(sending(Call(BOOKS.key, tuple(rows), 0)))
    test = application.execute(sending(Call(BOOKS.key, (), 0)))
    decisive.known.note_all([accepted, test])
    duty = frozenset({*DUTY, query_target("shop.py:3", "none")})

    found = Improvements(decisive).ordinary(test, duty).evaluation
    (cause,) = decisive.causes(found.individual, exchanges_of(found)[-1])
    assert (cause.location, cause.name, cause.value) == (ROW, "shop.User", NOT_SENT)


def test_of_two_values_that_exist_already_one_is_left() -> None:
    def unique(request: Request, user: str | None, earlier: list[Exchange]) -> Response:
        body = request.json if isinstance(request.json, dict) else {}
        made = [one.request.json for one in earlier if isinstance(one.request.json, dict)]
        for name in ("title", "code"):
            if any(one[name] == body[name] for one in made):
                return Response(409, (), f"{name} exists already".encode())
        return Response(201)

    application = Application(unique)
    decisive = Decisive(KnownCalls(application.execute))
    first, second = {"title": "a", "code": "b"}, {"title": "c", "code": "b"}
    test = application.execute(sending(created(first), created(first, 1)))
    decisive.known.note_all([application.execute(sending(created(second))), test])

    found = exchanges_of(Improvements(decisive).ordinary(test, DUTY).evaluation)
    assert [one.request.json for one in found] == [first, {"title": "a", "code": "newb"}]


CHECKS = ("name", "price", "category")
"""What a strict application looks at, one after the other; it accepts no category."""


def checked(request: Request) -> int:
    """Return how many checks a request passes."""
    body = request.json if isinstance(request.json, dict) else {}
    good = [isinstance(body.get("name"), str), isinstance(body.get("price"), int), False]
    return good.index(False)


def strict_shop(request: Request, user: str | None, earlier: list[Exchange]) -> Response:
    return Response(400, (), f"invalid {CHECKS[checked(request)]}".encode())


def lines_until_refused(exchange: Exchange) -> frozenset[TargetId]:
    return frozenset(TargetId(f"line {line}") for line in range(checked(exchange.request) + 2))


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        ({"name": 1, "price": "a"}, ("name", 1, "a")),
        ({"name": "b", "price": "a"}, ("price", "a", 3)),
        ({"name": "b"}, ("price", NOT_SENT, 3)),
        ({"name": "a", "price": 3}, None),
    ],
)
def test_where_nothing_is_accepted_a_part_is_the_cause_that_hides_the_next_refusal(
    body: object, cause: tuple[object, ...] | None
) -> None:
    application = Application(strict_shop, covered=lines_until_refused)
    others = [{"name": "a", "price": 3}, {"name": "a", "price": None}, {"price": "x"}]

    found = application.causes(sending(created(body)), *(sending(created(one)) for one in others))

    assert [(one.name, one.value, one.usual) for one in found] == ([cause] if cause else [])
    assert all(one.hides_another for one in found)
    assert len(application.executed) <= MOST_REPAIRS


def test_a_part_that_is_refused_earlier_is_not_the_cause() -> None:
    application = Application(strict_shop, covered=lines_until_refused)
    refused, worse = sending(created({"name": "a"})), sending(created({"name": 7}))

    assert application.causes(refused, worse) == ()


MADE = Response(201, (("Content-Type", "application/json"),), b'{"id": 7}')


SHELF = Input(Location.ROW, "shop.Shelf 1", ConstantGene({"name": "a"}))


def test_an_accepted_call_that_crashes_alike_with_one_part_shows_that_it_decides() -> None:
    huge = 2**63

    def crash(request: Request) -> Crash | None:
        is_huge = request.path.get("id") == huge
        return Crash("OverflowError", "builtins", "big", "a.py", 1, "get", "") if is_huge else None

    def answer(request: Request, user: str | None, earlier: list[Exchange]) -> Response:
        return Response(500 if crash(request) else 200 if request.rows else 404)

    known = read(ConstantGene(1))
    stored = sending(Call(known.endpoint, (*known.inputs, SHELF), 1))

    found = Application(answer, crash).causes(sending(read(ConstantGene(huge))), stored)

    assert [(one.location, one.value) for one in found] == [("path", huge)]


SHELVES = RowComposer((RowKind("shop.Shelf", "shelf", ObjectGene((Field("slug"),))),), {})


def searching(exchange: Exchange) -> frozenset[TargetId]:
    """Return the lines of a call that looks for a shelf, and goes on with one."""
    outcome = "rows" if _finds(exchange.request) else "none"
    lines = ("line 1", "line 2") if _finds(exchange.request) else ("line 1",)
    return frozenset((*map(TargetId, lines), statement_target("a.py:1 select shelf 3fa2", outcome)))


def _finds(request: Request) -> bool:
    wanted = request.path.get("id")
    return any(wanted in (1, row.values["slug"]) for row in request.rows)


@pytest.mark.parametrize("wanted", ["oak", 0])
@pytest.mark.parametrize("found", [Response(200), Response(500)])
@pytest.mark.parametrize(
    "missed",
    [
        Response(404),
        Response(200, (("Content-Type", "application/json"),), b'{"error": "no shelf"}'),
    ],
)
def test_a_refusal_that_a_stored_row_ends_is_caused_by_the_missing_row(
    wanted: object, found: Response, missed: Response
) -> None:
    application = Application(
        lambda request, *_: found if _finds(request) else missed, covered=searching
    )

    causes = application.causes(sending(read(ConstantGene(wanted))), rows=SHELVES)

    assert causes == (Cause(ROW, "shop.Shelf", NOT_SENT, STORED),)
    assert len(application.executed) <= MOST_REPAIRS


def test_a_call_that_is_answered_alike_without_a_row_has_done_less_without_it() -> None:
    application = Application(lambda *_: Response(204), covered=searching)

    (cause,) = application.causes(sending(read(ConstantGene("oak"))), rows=SHELVES)

    assert (cause.location, cause.name, cause.usual) == (ROW, "shop.Shelf", STORED)


def test_a_search_finds_nothing_where_it_shows_a_stored_row_without_further_code() -> None:
    def covered(exchange: Exchange) -> frozenset[TargetId]:
        outcome = "rows" if exchange.request.rows else "none"
        return DUTY | {statement_target("a.py:1 select shelf 3fa2", outcome)}

    application = Application(
        lambda request, *_: Response(200, (), b"oak" if request.rows else b""), covered=covered
    )
    search = Call(BOOK.key, (Input(Location.QUERY, "q", ConstantGene("a")),), 0)

    (cause,) = application.causes(sending(search), rows=SHELVES)

    assert (cause.location, cause.name, cause.usual) == (ROW, "shop.Shelf", STORED)


SETTINGS_PAGE = Endpoint("GET", "/settings", "settings")
SETTINGS = Endpoint("POST", "/settings", "settings")
FOLLOWING = Endpoint("POST", "/follow", "follow")


def test_a_form_lacks_the_token_that_a_page_hands_out_for_another_one() -> None:
    page = b'<form><input type="hidden" name="token" value="t1"></form>'

    def answer(request: Request, *_: object) -> Response:
        if request.method == "GET":
            return Response(200, (("Content-Type", "text/html"),), page)
        return Response(302, (("Location", "/home"),))

    def covered(exchange: Exchange) -> frozenset[TargetId]:
        return DUTY | {TargetId("line 2")} if exchange.request.form else DUTY

    application = Application(
        answer, covered=covered, endpoints=(SETTINGS_PAGE, SETTINGS, FOLLOWING)
    )
    token = Input(Location.FORM, "token", LinkGene(0, ("form", "token"), TextGene()))
    saved = sending(Call(SETTINGS_PAGE.key, (), 0), Call(SETTINGS.key, (token,), 1))

    causes = application.causes(sending(Call(FOLLOWING.key, (), 0)), saved)

    assert causes == (Cause("form", "token", NOT_SENT, LINKED),)
    assert lacks_token(causes)


def test_the_user_of_basic_authorization_is_unknown_where_a_row_leads_further() -> None:
    def found(request: Request) -> bool:
        return any(row.values["slug"] == "ann" for row in request.rows)

    def covered(exchange: Exchange) -> frozenset[TargetId]:
        outcome = "rows" if found(exchange.request) else "none"
        lines = {TargetId("line 2")} if found(exchange.request) else set()
        return DUTY | lines | {statement_target("a.py:1 select shelf 3fa2", outcome)}

    application = Application(lambda *_: Response(401), covered=covered)
    credentials = "Basic " + base64.b64encode(b"ann:secret").decode()
    header = Input(Location.HEADER, "Authorization", ConstantGene(credentials))
    decisive = Decisive(KnownCalls(application.execute, rows=SHELVES))
    test = sending(Call(BOOKS.key, (header,), 0))
    act = exchanges_of(application.execute(test).evaluation)[-1]

    (cause,) = decisive.causes(test, act)
    further = decisive.led_on(test, act)

    assert (cause.location, cause.asked_by) == (ROW, USER)
    assert further is not None
    assert exchanges_of(further.evaluation)[-1].request.rows


def test_a_stranger_is_the_cause_where_the_code_gets_further_with_a_user() -> None:
    led, sent = (Response(302, (("Location", "/home"),), text) for text in (b"a", b"b"))

    def covered(exchange: Exchange) -> frozenset[TargetId]:
        return DUTY if exchange.user is None else DUTY | {TargetId("line 2")}

    application = Application(lambda _, user, __: led if user is None else sent, covered=covered)
    as_user = sending(Call(BOOK.key, read(ConstantGene(1)).inputs, 0, "ann"))

    causes = application.causes(sending(created(None)), as_user)

    assert causes == (Cause(USER, "", None, "ann"),)


def test_an_account_exists_where_the_code_gets_less_far_without_its_row() -> None:
    def covered(exchange: Exchange) -> frozenset[TargetId]:
        return DUTY | {TargetId("line 2")} if exchange.request.rows else DUTY

    application = Application(lambda *_: Response(401), covered=covered)
    account = Input(Location.ROW, "shop.User", ConstantGene({"email": "a@b.c"}))
    sent = created({"email": "a@b.c", "password": "x"})
    test = sending(replace(sent, inputs=(*sent.inputs, account)))

    (cause,) = application.causes(test)

    assert (cause.location, cause.usual, cause.asked_by) == (ROW, NOT_SENT, "email")
    assert application.causes(sending(sent)) == ()


def test_a_row_is_not_missing_where_it_ends_nothing_or_another_number_does() -> None:
    strict = Application(lambda *_: Response(404), covered=searching)
    positive = Application(
        lambda request, *_: Response(200 if request.path["id"] == 1 else 404), covered=searching
    )
    refused = sending(read(ConstantGene(0)))

    assert strict.causes(refused, rows=SHELVES) == ()
    assert all(one.location != ROW for one in positive.causes(refused, rows=SHELVES))


def test_a_number_is_the_cause_of_a_crash_that_the_first_number_does_not_show() -> None:
    def crash(request: Request) -> Crash | None:
        is_first = request.path["id"] == 1
        return None if is_first else Crash("OverflowError", "builtins", "big", "a.py", 1, "get", "")

    application = Application(
        lambda request, *_: Response(500 if crash(request) else 404), crash, searching
    )

    causes = application.causes(sending(read(ConstantGene(2**63))), rows=SHELVES)

    assert causes == (Cause("path", "id", 2**63, 1),)


def test_a_form_that_leads_back_to_itself_is_refused_where_another_one_leads_on() -> None:
    def registered(request: Request, *_: object) -> Response:
        body = request.json if isinstance(request.json, dict) else {}
        return Response(302, (("Location", "/home" if body.get("title") else "/books"),))

    application = Application(registered)
    refused = sending(created({"title": "", "code": "x"}))

    causes = application.causes(refused, sending(created({"title": "a", "code": "y"})))

    assert causes == (Cause("json", "title", "", "a"),)


def test_the_part_decides_without_which_an_accepted_call_does_not_run_what_it_is_kept_for() -> None:
    discounted = TargetId("line shop.py:9")

    def covered(exchange: Exchange) -> frozenset[TargetId]:
        body = exchange.request.json
        return DUTY | {discounted} if isinstance(body, dict) and body["code"] == "x" else DUTY

    application = Application(lambda *_: Response(201), covered=covered)
    test = sending(created({"title": "b", "code": "x"}))
    decisive = Decisive(KnownCalls(application.execute))
    decisive.known.note_all([application.execute(sending(created({"title": "a", "code": "y"})))])
    act = exchanges_of(application.execute(test).evaluation)[-1]

    assert decisive.deciding(test, act, frozenset({discounted})) == (
        Cause("json", "code", "x", "y"),
    )
    assert decisive.deciding(test, act, DUTY) == ()


def test_a_form_that_leads_back_when_it_is_saved_is_not_refused_because_strangers_log_in() -> None:
    def saved(request: Request, user: str | None, _: object) -> Response:
        if user is None:
            return Response(302, (("Location", "/login?next=/books"),))
        title = request.json["title"] if isinstance(request.json, dict) else ""
        page = (("Content-Type", "text/html"),), b"<form></form>"
        return Response(200, *page) if len(title) > 3 else Response(302, (("Location", "/books"),))

    application = Application(saved)
    saves = sending(created({"title": "a", "code": "y"}, user="ann"))
    stranger = sending(created({"title": "a", "code": "x"}))

    causes = application.causes(
        sending(created({"title": "aaaa", "code": "x"}, user="ann")), saves, stranger
    )

    assert causes == (Cause("json", "title", "aaaa", "a"),)


def test_a_form_that_is_shown_again_is_caused_by_the_part_that_hides_the_next_message() -> None:
    def page(request: Request, *_: object) -> Response:
        body = f"<form></form>invalid {CHECKS[checked(request)]}".encode()
        return Response(200, (("Content-Type", "text/html"),), body)

    application = Application(page, covered=lines_until_refused)
    others = sending(created({"name": "a", "price": 3}))

    found = application.causes(sending(created({"name": 1, "price": 3})), others)

    assert [(one.name, one.value, one.usual) for one in found] == [("name", 1, "a")]


@pytest.mark.parametrize(("known", "is_any"), [((1,), True), ((1, 987654), False)])
def test_a_number_that_crashes_like_a_made_up_one_is_any_number(
    known: tuple[int, ...], is_any: bool
) -> None:
    def crash(request: Request) -> Crash | None:
        is_known = request.path["id"] in known
        return None if is_known else Crash("TypeError", "builtins", "a", "a.py", 1, "f", "")

    application = Application(lambda request, *_: Response(500 if crash(request) else 200), crash)

    (cause,) = application.causes(sending(read(ConstantGene(0))), sending(read(ConstantGene(1))))

    assert (cause.value, cause.is_any) == (0, is_any)


def test_a_missing_row_is_asked_for_by_the_one_input_that_it_has_by_name() -> None:
    def found(request: Request) -> bool:
        wanted = request.json.get("slug") if isinstance(request.json, dict) else None
        return any(row.values["slug"] == wanted for row in request.rows)

    def covered(exchange: Exchange) -> frozenset[TargetId]:
        outcome = "rows" if found(exchange.request) else "none"
        return DUTY | {statement_target("a.py:1 select shelf 3fa2", outcome)}

    application = Application(
        lambda request, *_: Response(200 if found(request) else 400), covered=covered
    )

    (cause,) = application.causes(sending(created({"slug": "oak", "n": 1})), rows=SHELVES)

    assert (cause.location, cause.asked_by) == (ROW, "slug")


def _lines_of_a_list(exchange: Exchange) -> frozenset[TargetId]:
    """Return the lines of a handler that reads a first name, and then a page and its size."""
    body = exchange.request.json
    sent = body if isinstance(body, dict) else {}
    reached = 1 + ("first" in sent) + ("first" in sent and {"page", "size"} <= sent.keys())
    return frozenset(TargetId(f"line {line}") for line in range(reached + 1))


@pytest.mark.parametrize(
    ("body", "missing"),
    [
        ({"email": "a@b.c"}, ["first"]),
        ({"email": "a@b.c", "first": "Ann"}, ["page", "size"]),
        ({}, ["first"]),
    ],
)
def test_a_crash_comes_of_the_fewest_missing_fields_with_which_the_code_gets_further(
    body: dict[str, str], missing: list[str]
) -> None:
    def crash(request: Request) -> Crash | None:
        reached = len(_lines_of_a_list(Exchange(request, Response(200))))
        if reached > 3:
            return None
        return Crash("TypeError", "builtins", "no len()", "list.py", reached, "view", "")

    whole = {"email": "b@b.c", "first": "Bob", "page": "1", "size": "5", "note": "hello"}

    def answer(request: Request, _user: str | None, _earlier: list[Exchange]) -> Response:
        return Response(500 if crash(request) else 200)

    shop = Application(answer, crash, _lines_of_a_list)
    causes = shop.causes(sending(created(body)), sending(created(whole)))

    assert [one.name for one in causes] == missing
    assert all(one.value is NOT_SENT for one in causes if one.location != WHOLE_BODY)


def test_a_field_that_leads_past_the_crash_is_not_what_lacks_but_the_value_is_the_cause() -> None:
    def crash(request: Request) -> Crash | None:
        body = request.json if isinstance(request.json, dict) else {}
        fails = "name" not in body and "kind" in body
        return Crash("AttributeError", "builtins", "A", "list.py", 2, "f", "") if fails else None

    def covered(exchange: Exchange) -> frozenset[TargetId]:
        line = "line list.py:2" if crash(exchange.request) else "line list.py:3"
        return frozenset(map(TargetId, ("line list.py:1", line)))

    application = Application(
        lambda request, *_: Response(500 if crash(request) else 200), crash, covered
    )

    causes = application.causes(
        sending(created({"kind": "a"})), sending(created({})), sending(created({"name": "b"}))
    )

    assert causes == (Cause("json", "kind", "a", NOT_SENT),)


def test_a_missing_field_is_the_cause_before_a_value_that_only_hides_it() -> None:
    def registered(request: Request, *_: object) -> Response:
        body = request.json if isinstance(request.json, dict) else {}
        if body.get("password") == "good" and "confirmed" not in body:
            return Response(400)
        return Response(302, (("Location", "/"),))

    refused = sending(created({"password": "good"}))
    nearest = sending(created({"password": "bad"}))
    whole = sending(created({"password": "good", "confirmed": "good", "name": "ann"}))

    causes = Application(registered).causes(refused, nearest, whole)

    assert causes == (Cause("json", "confirmed", NOT_SENT, "good"),)


def test_a_number_is_the_cause_where_the_first_number_crashes_further_on() -> None:
    def crash(request: Request) -> Crash | None:
        line = 1 if request.path["id"] != 1 else 2
        return Crash("AttributeError", "builtins", f"{line}", "a.py", line, "get", "")

    def covered(exchange: Exchange) -> frozenset[TargetId]:
        reached = 1 if exchange.request.path["id"] != 1 else 2
        return frozenset(TargetId(f"line {line}") for line in range(reached + 1))

    application = Application(lambda *_: Response(500), crash, covered)

    (cause,) = application.causes(sending(read(ConstantGene(0))))

    assert (cause.name, cause.value, cause.hides_another) == ("id", 0, True)
    assert cause.is_any


PUT_BOOK = Endpoint("PUT", "/books", "put_books")


def test_a_call_by_another_method_shows_which_field_is_missing() -> None:
    def changed(request: Request, *_: object) -> Response:
        body = request.json if isinstance(request.json, dict) else {}
        return Response(200 if "name" in body else 400)

    application = Application(changed, endpoints=(PUT_BOOK,))
    refused = sending(replace(created({"a": "a"}), endpoint=PUT_BOOK.key))

    (cause,) = application.causes(refused, sending(created({"a": "a", "name": "b"})))

    assert (cause.name, cause.value) == ("name", NOT_SENT)


@pytest.mark.parametrize(("checks", "kept"), [(False, ["name"]), (True, ["name", "token"])])
def test_a_stale_value_of_an_answer_is_left_out_where_nothing_comes_of_it(
    checks: bool, kept: list[str]
) -> None:
    def sent(request: Request, _user: object, earlier: list[Exchange]) -> Response:
        if request.method == "GET":
            return Response(200, (("Content-Type", "application/json"),), b'{"token": "new"}')
        token = dict(request.form).get("token")
        if token == "new":
            return Response(302, (("Location", "/"),))
        return Response(400, (), b"stale" if token and checks else b"no token")

    linked = Input(Location.FORM, "token", LinkGene(0, ("json", "token"), TextGene(current="old")))
    page = read(ConstantGene(1), 0)
    accepted = Call(BOOKS.key, (Input(Location.FORM, "name", ConstantGene("a")), linked), 1)
    application = Application(sent)
    decisive = Decisive(KnownCalls(application.execute))
    test = application.execute(sending(form(name="a", token="stale")))
    decisive.known.note_all([application.execute(sending(page, accepted)), test])

    (exchange,) = exchanges_of(Improvements(decisive).ordinary(test, DUTY).evaluation)

    assert [name for name, _value in exchange.request.form] == kept
