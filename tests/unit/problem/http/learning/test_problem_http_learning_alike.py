"""Answers that many addresses share, and those that a key has shown to be refusals."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_evosearch.problem.http.exchanges.endpoint import View
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.learning.alike import CROWD
from pytest_evosearch.problem.http.learning.alike import AlikeAnswers
from pytest_evosearch.problem.http.learning.alike import answer_of


def exchange(name, text, status=200):
    request = Request("GET", f"/{name}")
    return Exchange(request, Response(status, (("Content-Type", "text/plain"),), text.encode()))


def test_endpoint_is_only_alike_while_others_give_all_its_answers():
    alike = AlikeAnswers()
    names = [f"page{number}" for number in range(CROWD)]
    for name in names[:-1]:
        alike.learn(exchange(name, "who are you?"))
    assert not alike.is_only_alike("GET /page0")

    alike.learn(exchange(names[-1], "who are you?"))
    assert alike.is_only_alike("GET /page0")

    alike.learn(exchange("page0", "welcome"))
    assert not alike.is_only_alike("GET /page0")
    assert not alike.is_only_alike("GET /elsewhere")


def test_noted_refusal_is_known_again_whatever_its_status_and_numbers():
    alike = AlikeAnswers()
    first = exchange("a", "no, request 17")
    alike.learn(first)
    assert not alike.refuses(first)

    answer = answer_of(first)
    assert answer is not None
    assert alike.note_refusal(answer) == ["GET /a"]
    assert alike.refuses(exchange("b", "no, request 18"))
    assert not alike.refuses(exchange("b", "yes"))
    assert not alike.refuses(exchange("b", "no, request 18", status=404))


def test_empty_success_says_nothing():
    assert answer_of(exchange("a", "")) is None
    assert answer_of(exchange("a", "", status=403)) == (403, "")


GATE = frozenset({"line app.py:3", "branch app.py:3 true", "line app.py:4"})
"""What a hook before all views executes."""


def walked(alike, own, status=200, text="who are you?", names="abcd", methods=("GET",)):
    """Let endpoints answer alike, each having executed the gate and lines of its own."""
    for place, name in enumerate(names):
        for method in methods:
            request = Request(method, f"/{name}")
            answered = Exchange(request, Response(status, (), text.encode()))
            first = 10 * place + 100
            lines = frozenset(f"line app.py:{first + number}" for number in range(own))
            alike.note_way(answered, GATE | lines)
            alike.learn(answered)


@pytest.mark.parametrize("own", [0, 3])
def test_an_answer_for_which_many_endpoints_run_the_same_few_lines_is_a_wall(own):
    alike = AlikeAnswers()
    walked(alike, own)

    assert alike.new_walls() == [(200, "who are you?")]
    assert alike.new_walls() == []
    assert alike.refuses(exchange("z", "who are you?"))
    assert not alike.refuses(exchange("z", "welcome"))


def test_views_that_answer_alike_by_lines_of_their_own_are_no_wall():
    alike = AlikeAnswers()
    walked(alike, own=9, text="ok")
    assert alike.new_walls() == []


def test_one_view_at_many_addresses_is_no_wall():
    alike = AlikeAnswers({f"GET /{name}": View("/srv/app.py", 2, 5) for name in "abcd"})
    walked(alike, own=0)
    assert alike.new_walls() == []


def test_one_lambda_at_many_addresses_is_no_wall():
    alike = AlikeAnswers({f"GET /{name}": View("/srv/app.py", 7, 7) for name in "abcd"})
    for name in "abcd":
        answered = exchange(name, '{"page": 1}')
        alike.note_way(answered, frozenset({"branch app.py:7 called"}))
        alike.learn(answered)
    assert alike.new_walls() == []


VIEWS = """
@app.get("/{name}")
def {name}():
    \"\"\"Return everything.\"\"\"
    return jsonify(
        list_of({name}),
    )
    {further}
"""


@pytest.mark.parametrize(("further", "is_wall"), [("", False), ("return page()", True)])
def test_views_that_return_what_a_helper_returns_are_no_wall(
    tmp_path: Path, further: str, is_wall: bool
) -> None:
    file = tmp_path / "app.py"
    file.write_text("".join(VIEWS.format(name=name, further=further) for name in "abcd"))
    firsts = range(2, 40, 8)
    views = {
        f"GET /{name}": View(str(file), first, first + 6)
        for name, first in zip("abcd", firsts, strict=False)
    }
    alike = AlikeAnswers(views)
    for name, first in zip("abcd", firsts, strict=False):
        answered = exchange(name, "[]")
        alike.note_way(answered, GATE | {f"line app.py:{first + 3}"})
        alike.learn(answered)
    assert bool(alike.new_walls()) is is_wall


def test_what_another_answer_executes_too_is_no_wall():
    alike = AlikeAnswers()
    walked(alike, own=0)
    other = exchange("y", "a page")
    alike.note_way(other, GATE)
    assert alike.new_walls() == []


def test_endpoints_that_serve_strangers_after_all_are_behind_no_wall():
    alike = AlikeAnswers()
    walked(alike, own=0)
    assert alike.new_walls()
    for name in "ab":
        alike.learn(exchange(name, f"welcome to {name}"))
    assert alike.new_walls() == []
    assert not alike.refuses(exchange("z", "who are you?"))


def test_a_failure_of_what_is_sent_is_no_wall():
    alike = AlikeAnswers()
    walked(alike, own=0, status=400, methods=("POST",))
    assert alike.new_walls() == []
    walked(alike, own=0, status=400)
    assert alike.new_walls() == [(400, "who are you?")]


def test_a_failure_that_a_user_does_not_get_is_a_refusal():
    alike = AlikeAnswers()
    refused = exchange("a", "bad token", 418)
    alike.learn(refused)
    assert not alike.refuses(refused)

    served = Exchange(Request("GET", "/a"), Response(200, (), b"hello"), user="ann")
    alike.learn(served, is_first=False)
    assert not alike.refuses(refused), "what came before may be the reason"
    alike.learn(served)
    assert alike.refuses(refused)
    missing = exchange("b", "nothing there", 404)
    alike.learn(missing)
    alike.learn(Exchange(Request("GET", "/b"), Response(200, (), b"hers"), user="ann"))
    assert not alike.refuses(missing), "what is hers may not be there for others"


def test_an_answer_may_name_its_endpoint():
    assert answer_of(exchange("posts", "/posts: no")) == answer_of(exchange("users", "/users: no"))


def test_it_is_seen_how_endpoints_answer_that_many_share():
    alike = AlikeAnswers()
    for name in "abcd":
        alike.learn(exchange(name, "no"))
    assert alike.wants_way("GET /a")
    alike.note_way(exchange("a", "no"), GATE)
    assert not alike.wants_way("GET /a")
    assert not alike.wants_way("GET /elsewhere")


def test_what_answers_before_any_code_is_a_wall_where_code_is_seen_at_all():
    alike = AlikeAnswers()
    unseen = AlikeAnswers()
    alike.note_way(exchange("y", "a page"), GATE)
    for name in "abcd":
        answered = exchange(name, "no token", 422)
        for one in (alike, unseen):
            one.note_way(answered, frozenset())
            one.learn(answered)
    assert alike.new_walls() == [(422, "no token")]
    assert unseen.new_walls() == []
