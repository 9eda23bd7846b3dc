"""Why a target is open: every kind of reason, from a small application's source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from pytest_evosearch.core.targets import subject_of
from pytest_evosearch.report.outline import outline_of
from pytest_evosearch.report.reason_kinds import TITLES
from pytest_evosearch.report.reason_kinds import Kind
from pytest_evosearch.report.reason_kinds import Reason
from pytest_evosearch.report.reasons import Knowledge
from pytest_evosearch.report.reasons import explain

SOURCE = """\
DEBUG = False
LIMIT = 3


@app.get("/orders")
def orders():
    if request.args.get("page") == "last":
        return "last"
    try:
        page = int(request.args["page"])
    except ValueError:
        return "no"
    if DEBUG:
        return "debug"
    send_mail(page)
    for order in load(page):
        check(order)
    return "done"


@app.get("/admin")
@login_required
def admin():
    return secret()


def secret():
    return 42


def forgotten():
    return 1


@app.cli.command("init")
def init_command():
    create()


@app.errorhandler(500)
def broken(error):
    return "sorry"


def helper():
    return 5


def user_of_helper():
    return helper()


user_of_helper()
"""

ORDERS = ("shop.py", "orders", 5)


def line(number: int) -> str:
    return f"line shop.py:{number}"


def branch(number: int, label: str) -> str:
    return f"branch shop.py:{number} {label}"


def why(
    target: str,
    scores: Mapping[str, float] | None = None,
    controls: Mapping[str, tuple[str, ...]] | None = None,
    **more: object,
) -> Reason:
    knowledge = Knowledge(
        score=lambda name: (scores or {}).get(name, 0.0),
        controls=lambda name: (controls or {}).get(name, ()),
        outlines={"shop.py": outline_of(SOURCE)},
        **{"entered": [ORDERS], **more},  # type: ignore[arg-type]
    )
    return replace(explain(target, knowledge), evidence="")


def test_a_condition_that_was_evaluated() -> None:
    reason = why(branch(7, "true"), {branch(7, "true"): 0.55, line(7): 1.0})
    assert reason == Reason(Kind.CONDITION, "evaluated, but never true, at best 55% of the way")


def test_a_line_behind_it() -> None:
    reason = why(line(8), {branch(7, "true"): 0.55, line(7): 1.0}, {line(8): (branch(7, "true"),)})
    assert reason.kind is Kind.BEHIND
    assert reason.text == "line 7: evaluated, but never true, at best 55% of the way"


def test_the_nearest_of_several_ways_is_told() -> None:
    controls = {line(8): (branch(7, "false"), branch(13, "true"))}
    scores = {branch(7, "false"): 0.2, branch(13, "true"): 0.1}
    assert why(line(8), scores, controls).text.startswith("line 7: ")


def test_a_handler_of_an_exception_that_never_occurred() -> None:
    assert why(branch(11, "except")) == Reason(Kind.EXCEPTION, "no call raised ValueError")
    behind = why(line(12), {}, {line(12): (branch(11, "except"),)})
    assert behind == Reason(Kind.EXCEPTION, "line 11: no call raised ValueError")


def test_a_loop_over_nothing() -> None:
    reason = why(branch(16, "entered"), {line(16): 1.0})
    assert reason == Reason(Kind.CONDITION, "the loop had nothing to loop over")


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("completed", "the statement always raised before it was done, at best 50% of the way"),
        ("case 2", "case 2 never matched, at best 50% of the way"),
        ("something new", "never something new, at best 50% of the way"),
    ],
)
def test_other_sides(label: str, text: str) -> None:
    assert why(branch(7, label), {branch(7, label): 0.5}) == Reason(Kind.CONDITION, text)


def test_a_part_of_a_condition_that_was_never_needed() -> None:
    reason = why("branch shop.py:7#2 true", {line(7): 1.0, branch(7, "true"): 1.0})
    assert reason == Reason(Kind.CONDITION, "an earlier part of the line always decided")


def test_a_call_that_gave_no_truth_value() -> None:
    reason = why(branch(10, "true"), {line(10): 1.0})
    assert reason == Reason(Kind.CONDITION, "this part of the line was never evaluated")


def test_a_condition_that_was_decided_while_loading() -> None:
    reason = why(branch(7, "false"), {line(7): 1.0}, loaded=frozenset({line(7)}))
    assert reason == Reason(Kind.UNREACHABLE, "decided while the application was loaded")


def test_code_after_something_that_always_leaves() -> None:
    assert why(line(16)) == Reason(Kind.CUT_SHORT, "orders() was always left before")
    ran = {line(7): 1.0, line(10): 1.0}
    assert why(line(16), ran) == Reason(
        Kind.CUT_SHORT, 'orders() was always left by line 10: page = int(request.args["page"])'
    )


def test_a_view_that_turns_everybody_away_itself() -> None:
    reason = why(
        line(16),
        handlers={("shop.py", 5): ("GET /orders",)},
        statuses={"GET /orders": (401,)},
        refusals={"GET /orders": {401}},
    )
    assert reason == Reason(Kind.NEEDS_USER, "GET /orders answered only 401")


def test_code_after_something_that_the_sandbox_refused() -> None:
    reason = why(line(16), blocked=("connect to mail.example.com:25 at shop.py:15",))
    assert reason.kind is Kind.SANDBOX
    assert reason.text == "the sandbox refused to connect to mail.example.com:25 on line 15"


@pytest.mark.parametrize(
    ("statuses", "refusals", "kind", "text"),
    [
        ((401, 403), (401, 403), Kind.NEEDS_USER, "GET /admin answered only 401, 403"),
        ((302,), (302,), Kind.NEEDS_USER, "GET /admin answered only 302"),
        ((302, 404), (302,), Kind.NEEDS_USER, "GET /admin answered only 302, 404"),
        ((404, 418), (418,), Kind.NEEDS_USER, "GET /admin answered only 404, 418"),
        ((302,), (), Kind.NOT_ANSWERED, "GET /admin answered 302 before its view ran"),
        ((302, 400), (302,), Kind.NOT_ANSWERED, "GET /admin answered 302, 400 before its view ran"),
        ((404,), (), Kind.NOT_ANSWERED, "GET /admin answered 404 before its view ran"),
        ((), (), Kind.NOT_ANSWERED, "GET /admin never answered"),
    ],
)
def test_a_view_that_never_ran(
    statuses: tuple[int, ...], refusals: tuple[int, ...], kind: Kind, text: str
) -> None:
    handlers = {("shop.py", 21): ("GET /admin",)}
    reason = why(
        line(24),
        handlers=handlers,
        statuses={"GET /admin": statuses},
        refusals={"GET /admin": refusals},
    )
    assert reason == Reason(kind, text)


def test_a_function_that_no_test_entered() -> None:
    assert why(line(28)) == Reason(Kind.NOT_CALLED, "secret() was never called")


def test_a_command_and_an_error_handler() -> None:
    assert why(line(37)).text == "init_command() is a command, no request runs it"
    assert why(line(42)).text == "no call made the error that broken() handles"


def test_module_level_and_unknown_files() -> None:
    assert why(line(2)).kind is Kind.UNREACHABLE
    assert why("line elsewhere.py:2").kind is Kind.UNREACHABLE


def test_controls_in_a_circle_end() -> None:
    controls = {
        branch(7, "true"): (branch(13, "true"),),
        branch(13, "true"): (branch(7, "true"),),
    }
    assert why(branch(7, "true"), {}, controls).kind is Kind.CUT_SHORT


def test_every_kind_has_a_title() -> None:
    assert set(TITLES) == set(Kind)


def test_subject_of_every_form_of_target() -> None:
    assert subject_of("line a b/c.py:7") == ("a b/c.py", 7, "")
    assert subject_of("branch c.py:7#2 case 1") == ("c.py", 7, "case 1")
    assert subject_of("status GET /x 404") == ("", 0, "")


def test_an_unreadable_source_has_an_empty_outline() -> None:
    assert outline_of("def (").functions == ()
    assert outline_of("\0").functions == ()


def test_the_innermost_function_is_found() -> None:
    outline = outline_of("def outer():\n    def inner():\n        return 1\n    return inner\n")
    inner, outer = outline.enclosing(3), outline.enclosing(4)
    assert inner is not None
    assert outer is not None
    assert (inner.name, outer.name) == ("inner", "outer")
    assert outline.enclosing(9) is None


SHOP = """\
import requests
import subprocess
from flask import g, session
from flask_login import current_user

client = requests.Session()


@app.get("/rate")
def rate():
    answer = client.get(URL)
    body = answer.json()
    if body["rate"] > 1:
        return "high"
    try:
        requests.post(URL)
    except requests.Timeout:
        return "late"
    except ValueError:
        return "odd"
    requests.delete(URL)
    return "ok"


@app.get("/mine")
def mine():
    if g.user is None or not session.get("is_admin"):
        return "no"
    if current_user.is_admin:
        return "admin"
    if order.user:
        return fetch()


def fetch():
    return subprocess.run(["date"])


@app.cli.command("nightly")
def nightly():
    clean()


def clean():
    return 1


@app.get("/report")
def report():
    text = fetch()
    return text
"""


def because(target: str, *ran: int, **more: object) -> Reason:
    scores = {f"line shop.py:{number}": 1.0 for number in ran}
    entered = [("shop.py", "rate", 9), ("shop.py", "mine", 25), ("shop.py", "report", 48)]
    knowledge = Knowledge(
        score=lambda name: scores.get(name, 0.3 if name == target and " " in name[7:] else 0.0),
        controls=lambda _name: (),
        outlines={"shop.py": outline_of(SHOP)},
        **{"entered": entered, **more},  # type: ignore[arg-type]
    )
    return explain(target, knowledge)


def test_a_view_that_was_left_out() -> None:
    reason = because(line(50), entered=(), left_out={("shop.py", 48)})
    assert reason.kind is Kind.UNREACHABLE
    assert "left out" in reason.text


def test_the_closest_test_of_a_view_that_never_ran_is_that_of_its_status() -> None:
    reason = because(
        line(50),
        entered=(),
        handlers={("shop.py", 48): ("GET /report",)},
        statuses={"GET /report": (302, 404)},
        refusals={"GET /report": {302}},
    )
    assert (reason.kind, reason.evidence) == (Kind.NEEDS_USER, "status GET /report 302")
