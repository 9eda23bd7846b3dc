"""Tests that say too little only stay where they alone cover code."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.harvest.losses import Losses
from pytest_evosearch.harvest.worth import TOO_LITTLE
from pytest_evosearch.harvest.worth import says_too_little
from pytest_evosearch.harvest.worth import with_answers_once
from pytest_evosearch.harvest.worth import with_one_lack_of_a_token
from pytest_evosearch.harvest.worth import without_echoes
from pytest_evosearch.harvest.worth import without_twins
from pytest_evosearch.harvest.worth import without_weak_tests
from pytest_evosearch.harvest.worth import worth_keeping
from pytest_evosearch.harvest.worthy_faults import HOSTILE
from pytest_evosearch.harvest.worthy_faults import with_one_test_a_cause
from pytest_evosearch.harvest.worthy_faults import without_newer_libraries
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault
from pytest_evosearch.problem.http.exchanges.seen_inside import Crash
from pytest_evosearch.write.content.inputs import LINKED
from pytest_evosearch.write.content.proven_causes import NOT_SENT
from pytest_evosearch.write.content.proven_causes import WHOLE_BODY
from pytest_evosearch.write.content.proven_causes import Cause
from pytest_evosearch.write.content.specimen import Corpus
from pytest_evosearch.write.content.specimen import FollowUp
from pytest_evosearch.write.content.specimen import Specimen

CORPUS = Corpus()
LINE = TargetId("line shop.py:1")
OTHER = TargetId("line shop.py:2")
STATUS = TargetId("status POST /items 302")
STANDARD_PAGE = (
    b"<!doctype html><title>400 Bad Request</title><h1>Bad Request</h1>"
    b"<p>The browser (or proxy) sent a request that this server could not understand.</p>"
)
JSON_LACKS = (
    b"Did not attempt to load JSON data because the request Content-Type was not 'application/json'"
)


def answered(
    method: str, status: int, body: bytes = b"", location: str = "", covered: TargetId = LINE
) -> Specimen:
    headers = (("Location", location),) if location else ()
    headers = (("Content-Type", "text/html"),) if body.startswith(b"<") else headers
    exchange = Exchange(Request(method, "/items"), Response(status, headers, body))
    return Specimen((exchange,), covered=frozenset({covered}))


@pytest.mark.parametrize(
    ("specimen", "is_weak"),
    [
        (answered("POST", 302, location="/"), True),
        (answered("GET", 302, location="/"), True),
        (answered("GET", 302, location="/login?next=/items"), False),
        (answered("POST", 204), True),
        (answered("POST", 200, b"saved"), False),
        (answered("GET", 200, b"saved"), False),
        (answered("GET", 200, b"<p></p>"), True),
        (answered("POST", 415, JSON_LACKS), True),
        (answered("POST", 400, b"a title is needed"), False),
        (answered("POST", 400, STANDARD_PAGE), True),
        (answered("GET", 404, covered=TargetId("status GET /items 404")), True),
    ],
)
def test_a_status_alone_says_too_little(specimen: Specimen, is_weak: bool) -> None:
    assert says_too_little(specimen, CORPUS) is is_weak


def test_an_effect_makes_a_redirect_worth_asserting() -> None:
    redirected = answered("POST", 302, location="/")
    read = Exchange(Request("GET", "/"), Response(200, (), b"saved"))

    assert not says_too_little(replace(redirected, follow_up=FollowUp(read)), CORPUS)


def test_what_alone_covers_code_stays() -> None:
    full, weak = answered("POST", 200, b"saved"), answered("POST", 302, location="/")
    own = answered("DELETE", 302, location="/", covered=OTHER)

    losses = Losses()
    assert worth_keeping([full, weak, own], losses) == [full, own]
    assert losses.dropped == []  # all that it covers is shown by another test
    bare = replace(weak, covered=frozenset({LINE, STATUS}))
    assert worth_keeping([full, bare], losses) == [full]
    assert losses.untested == {STATUS: TOO_LITTLE}
    assert without_weak_tests([weak, replace(weak)], CORPUS) == [weak]


def at(template: str, specimen: Specimen) -> Specimen:
    act = specimen.act
    return replace(
        specimen, exchanges=(replace(act, request=Request(act.request.method, template)),)
    )


def test_one_answer_of_a_view_to_several_methods_is_shown_once() -> None:
    read, posted = answered("GET", 200, b"a form"), answered("POST", 200, b"a form")

    assert without_twins([posted, read]) == [read]
    for other in (
        answered("POST", 200, b"saved"),
        answered("POST", 201, b"a form"),
        answered("POST", 200, b"a form", covered=OTHER),
        replace(posted, exchanges=(replace(posted.act, user="ann"),)),
    ):
        assert without_twins([read, other]) == [read, other]


def test_one_page_at_two_addresses_is_shown_once_but_each_address_is_guarded() -> None:
    page, refusal = answered("GET", 200, b"hello"), answered("GET", 401, b"log in")

    assert without_twins([at("/index", page), at("/", page)]) == [at("/", page)]
    guarded = [at("/index", refusal), at("/", refusal)]
    assert without_twins(guarded) == guarded
    methods = [answered("GET", 401, b"log in"), answered("POST", 401, b"log in")]
    assert without_twins(methods) == methods


def test_a_read_that_says_the_same_without_the_write_before_it_says_too_little() -> None:
    wrote, read = answered("POST", 201, b"saved").act, answered("GET", 200, b"hello")
    after = replace(read, exchanges=(wrote, read.act), before="hello")

    assert says_too_little(after, CORPUS)
    assert not says_too_little(replace(after, before="bye"), CORPUS)


def crashing(value: object, name: str = "title", kind: str = "TypeError") -> Specimen:
    fault = Fault(
        "crash", "POST /items", kind, "shop.py:4", "", 0, TargetId(f"fault {kind} {value}")
    )
    return replace(
        answered("POST", 500), fault=fault, causes=(Cause("json", name, value, "A title"),)
    )


def test_what_one_part_causes_at_one_place_has_one_test_of_the_most_ordinary_value() -> None:
    listed, null, missing = crashing(["text"]), crashing(None), crashing(NOT_SENT)
    other = crashing(None, name="price")

    assert [one.causes for one in with_one_test_a_cause([listed, null, other])] == [
        null.causes,
        other.causes,
    ]
    (kept,) = with_one_test_a_cause([listed, missing])
    assert kept.causes == missing.causes
    assert {one.fault.target for one in (listed, missing) if one.fault} <= kept.covered
    losses, longer = Losses(), replace(listed, covered=frozenset({LINE, OTHER}))
    assert len(worth_keeping([longer, missing], losses)) == 1
    assert losses.untested == {OTHER: TOO_LITTLE}
    text, another = crashing("a", kind="ValueError"), crashing(NOT_SENT, kind="KeyError")
    assert [one.causes for one in with_one_test_a_cause([listed, text])] == [text.causes]
    assert with_one_test_a_cause([text, another]) == [text, another]
    unknown = [replace(one, causes=()) for one in (listed, null)]
    assert with_one_test_a_cause(unknown) == unknown


def test_what_a_library_raises_before_any_code_of_the_project_is_one_cause() -> None:
    crash = Crash("DecodeError", "jwt", "Not enough segments", "", 0, "", "")
    shown = [
        replace(one, causes=(), exchanges=(replace(one.act, crash=crash),))
        for one in (crashing("a"), crashing("b"))
    ]

    (kept,) = with_one_test_a_cause(shown)
    assert {one.fault.target for one in shown if one.fault} <= kept.covered
    of_project = [
        replace(one, exchanges=(replace(one.act, crash=replace(crash, path="shop.py")),))
        for one in shown
    ]
    assert with_one_test_a_cause(of_project) == of_project


def test_a_whole_body_that_fails_where_a_missing_field_fails_has_no_test() -> None:
    missing, listed = crashing(NOT_SENT), crashing(["text"])
    scalar = replace(crashing(7), causes=(Cause(WHOLE_BODY, "json scalar", 7, "json"),))

    (kept,) = with_one_test_a_cause([scalar, missing])
    assert kept.causes == missing.causes
    assert scalar.fault is not None
    assert scalar.fault.target in kept.covered
    assert with_one_test_a_cause([scalar, listed]) == [scalar, listed]
    assert with_one_test_a_cause([scalar]) == [scalar]


def sending(value: object, line: int, kind: str = "TypeError") -> Specimen:
    """Return a fault of an unknown cause that a call with a token shows."""
    one = crashing(value, kind=kind)
    assert one.fault is not None
    request = replace(one.act.request, json={"token": value}, has_json=True)
    fault = replace(one.fault, position=f"shop.py:{line}")
    return replace(one, exchanges=(replace(one.act, request=request),), causes=(), fault=fault)


def test_a_number_that_fails_where_a_text_fails_too_has_no_test() -> None:
    number, text = sending(0, 4), sending("a", 4, "ValueError")
    texts = [sending("b", 5), sending("c", 6)]

    assert with_one_test_a_cause([number, text, *texts])[1:] == texts
    elsewhere = sending(0, 7)
    assert elsewhere in with_one_test_a_cause([elsewhere, text, *texts])


def test_an_odd_value_has_no_test_where_an_ordinary_one_of_its_part_fails_elsewhere() -> None:
    listed, missing, losses = crashing(["text"]), crashing(NOT_SENT), Losses()
    assert listed.fault is not None
    deeper = replace(listed, fault=replace(listed.fault, position="shop.py:9"))

    assert worth_keeping([deeper, missing], losses) == [missing]
    assert with_one_test_a_cause([deeper, crashing(NOT_SENT, name="price")])[0] == deeper


def test_what_no_client_sends_has_no_test_of_a_fault_unless_it_alone_runs_code() -> None:
    huge = replace(crashing(0), causes=(Cause("path", "id", 2**63, 1),))
    usual = answered("GET", 200, b"a page", covered=LINE)
    assert huge.fault is not None

    losses = Losses()
    assert worth_keeping([replace(huge, covered=frozenset({LINE})), usual], losses) == [usual]
    assert losses.untested == {huge.fault.target: HOSTILE}
    alone = replace(huge, covered=frozenset({OTHER}))
    assert worth_keeping([alone, usual], Losses()) == [alone, usual]
    large = replace(huge, causes=(Cause("path", "id", 70_000, 1),))
    assert worth_keeping([large, usual], Losses()) == [large, usual]


def test_json_of_another_kind_than_accepted_calls_send_has_no_test_of_a_fault() -> None:
    scalar, usual = crashing(0), answered("GET", 200, b"a page", covered=LINE)
    request = Request("POST", "/items", json=42, has_json=True)
    scalar = replace(scalar, exchanges=(replace(scalar.act, request=request),), causes=())
    form = Exchange(Request("POST", "/items", form=(("a", "b"),)), Response(200))
    same = Exchange(replace(request, json=7), Response(200))

    def kept(*accepted: Exchange) -> list[Specimen]:
        corpus = Corpus(accepted={"POST /items": accepted} if accepted else {})
        return worth_keeping([scalar, usual], Losses(), corpus)

    assert kept(form) == [usual]
    assert kept() == [usual]
    assert kept(form, same) == [scalar, usual]
    request = replace(request, json=[42])
    scalar = replace(scalar, exchanges=(replace(scalar.act, request=request),))
    assert kept() == [scalar, usual]


def test_one_answer_of_one_endpoint_is_shown_once_unless_other_code_runs() -> None:
    one, other, longer = (answered("GET", 200, b"a page") for _ in range(3))
    longer = replace(longer, covered=frozenset({LINE, TargetId("branch shop.py:1 found")}))
    own = answered("GET", 200, b"a page", covered=OTHER)
    said = answered("GET", 200, b"another page")

    kept = with_answers_once([one, other, longer, own, said], Losses(), CORPUS)

    assert kept == [one, own, said]
    crash = crashing(None)
    assert with_answers_once([crash, crash], Losses(), CORPUS) == [crash, crash]


def test_an_empty_field_of_a_form_stands_for_one_that_is_left_out() -> None:
    empty = replace(crashing("", kind="ValueError"), causes=(Cause("form", "title", "", "a"),))
    missing = replace(crashing(NOT_SENT), causes=(Cause("form", "title", NOT_SENT, "a"),))

    (kept,) = with_one_test_a_cause([missing, empty])
    assert kept.causes == empty.causes


def test_what_a_library_refuses_before_the_view_runs_says_too_little() -> None:
    gate, view = LINE, OTHER
    refused = at("/carts", answered("POST", 422, b"a title is needed", covered=gate))
    accepted = at(
        "/books", replace(answered("POST", 201, b"saved"), covered=frozenset({gate, view}))
    )

    assert without_weak_tests([refused, accepted], CORPUS) == [accepted]
    own = replace(refused, covered=frozenset({gate, TargetId("line shop.py:3")}))
    assert without_weak_tests([own, accepted], CORPUS) == [own, accepted]
    stranger = at("/carts", answered("POST", 401, b"log in", covered=gate))
    assert without_weak_tests([stranger, accepted], CORPUS) == [stranger, accepted]


def test_a_bare_refusal_goes_where_a_test_that_is_expected_to_fail_runs_its_code() -> None:
    bare, crash = answered("POST", 415, JSON_LACKS), crashing(NOT_SENT)
    redirect, page = answered("POST", 302, location="/"), answered("GET", 200, covered=OTHER)

    assert without_weak_tests([bare, crash, page], CORPUS) == [crash, page]
    assert without_weak_tests([redirect, crash, page], CORPUS) == [redirect, crash, page]
    assert without_weak_tests([bare, page], CORPUS) == [bare, page]


def test_where_no_line_is_measured_every_test_stays() -> None:
    weak = answered("POST", 302, location="/", covered=STATUS)

    assert without_weak_tests([weak], CORPUS) == [weak]


def test_a_failure_of_a_library_in_many_views_has_a_few_examples() -> None:
    huge = Crash(
        "OverflowError", "builtins", "too large", "shop.py", 4, "get", "", raised_in="execute"
    )
    cause = (Cause("path", "id", 2**63, 1),)
    found = []
    for number in range(5):
        one = at(f"/items{number}/{{id}}", replace(crashing(number), causes=cause))
        found.append(replace(one, exchanges=(replace(one.act, crash=huge),)))

    kept = with_one_test_a_cause(found)
    assert len(kept) == 3
    assert {one.fault.target for one in found if one.fault} <= kept[0].covered
    other = replace(huge, message="of another kind")
    differing = replace(found[4], exchanges=(replace(found[4].act, crash=other),))
    assert len(with_one_test_a_cause([*found[:4], differing])) == 4


def test_what_another_test_refuses_without_a_preparation_is_shown_once() -> None:
    short = answered("POST", 400, b"a title is needed")
    before = answered("POST", 201, b"1").act
    long = replace(short, exchanges=(before, short.act), covered=frozenset({LINE, STATUS}))
    further = replace(long, covered=frozenset({LINE, OTHER}))
    read = answered("GET", 404, b"gone")
    deleted = replace(read, exchanges=(before, read.act))

    assert worth_keeping([short, long], Losses()) == [short]
    assert worth_keeping([short, further], Losses()) == [short, further]
    assert deleted in worth_keeping([read, deleted], Losses())


def test_a_crash_of_a_library_newer_than_stated_has_no_test_unless_a_part_causes_it() -> None:
    crash = Crash("TypeError", "builtins", "a", "a.py", 1, "f", "", raised_in="lib f")
    caused = replace(crashing(None), exchanges=(replace(crashing(None).act, crash=crash),))
    alone = replace(caused, causes=())
    frames = '  File "/app/a.py", line 1\n  File "/env/site-packages/lib/b.py", line 2\n'
    raised = replace(crash, raised_in="", traceback=frames)
    below = replace(alone, exchanges=(replace(alone.act, crash=raised),))
    stored = replace(alone, exchanges=(replace(alone.act, crash=replace(crash, module="lib.exc")),))
    losses = Losses()

    def newer(raised_in: str, _message: str) -> str:
        return "lib 3, where the project states 2" if raised_in in ("lib", "lib f") else ""

    found = [caused, alone, below, stored]
    assert without_newer_libraries(found, losses, newer) == [caused, stored]
    assert list(losses.untested.values()) == ["it comes of lib 3, where the project states 2"]


def shown_again(name: str, *causes: Cause, covered: TargetId = LINE) -> Specimen:
    page = f'<form><input name="title" value="{name}"></form>'.encode()
    specimen = answered("POST", 200, page, covered=covered)
    request = replace(specimen.act.request, form=(("title", name),))
    return replace(specimen, exchanges=(replace(specimen.act, request=request),), causes=causes)


def test_of_forms_that_show_nothing_but_what_was_typed_one_is_enough() -> None:
    short, long = shown_again("ann"), shown_again("a" * 21)
    caused = shown_again("a" * 20, Cause("form", "title", "a" * 20, "ann"))
    elsewhere = shown_again("bob", covered=OTHER)

    assert without_echoes([short, long, caused], CORPUS) == [short, caused]
    assert without_echoes([short, elsewhere], CORPUS) == [short, elsewhere]


def test_a_text_that_the_page_shows_before_anything_is_sent_says_too_little() -> None:
    page = "<h1>Back to profile</h1>"
    sent = answered("POST", 200, page.encode())

    assert says_too_little(sent, Corpus(served={"GET /items": (page,)}))
    assert not says_too_little(sent, Corpus(served={"GET /items": ("<h1>Other</h1>",)}))
    others = f"{page}<p>No such title</p>", f"{page}<p>Title is taken</p>"
    assert says_too_little(sent, Corpus(texts={"POST /items": others}))
    redirect = "<p>You should be redirected</p>"
    both = Corpus(texts={"POST /items": (redirect,)}, served={"GET /items": (page,)})
    assert says_too_little(sent, both)


def test_an_answer_that_another_test_calls_a_fault_is_not_asserted() -> None:
    shown = answered("POST", 200, b"<p>SELECT *</p>")
    fault = Fault("sql-leak", "POST /items", "leak", "", "", 0, TargetId("fault leak"))
    leaking = replace(shown, fault=fault)
    other = answered("GET", 200, b"a page")

    assert worth_keeping([shown, leaking, other], Losses()) == [leaking, other]


def test_one_form_without_its_token_shows_the_check_of_all_a_message_before_a_redirect() -> None:
    lack = (Cause("form", "csrf_token", NOT_SENT, LINKED),)
    redirect = replace(answered("POST", 302, location="/"), causes=lack)
    page = replace(answered("POST", 200, b"<p>the token is missing</p>"), causes=lack)
    other = answered("POST", 200, b"saved")

    assert with_one_lack_of_a_token([redirect, other, page]) == [other, page]
    assert with_one_lack_of_a_token([redirect, other]) == [redirect, other]
