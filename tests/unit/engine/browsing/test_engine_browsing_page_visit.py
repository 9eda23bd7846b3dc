"""The requests of a page become calls; the browser is a script of messages."""

from __future__ import annotations

import base64
import json
from collections import deque
from typing import Any

from pytest_evosearch.core.randomness import derive
from pytest_evosearch.engine.browsing.page_problems import PageProblems
from pytest_evosearch.engine.browsing.page_visit import Visit
from pytest_evosearch.engine.browsing.page_visit import VisitGuide
from pytest_evosearch.engine.browsing.seen_screens import SeenScreens
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.http_problem import HttpProblem
from pytest_evosearch.problem.http.walks.page_calls import PageCalls
from pytest_evosearch.problem.http.walks.walk import Guide
from pytest_evosearch.screens.state_model import StateModel
from pytest_evosearch.search.selecting.counting import LeastUsedSelector
from pytest_evosearch.sut.browser.driven_browser import BrowserGone

QUIET: dict[str, Any] = {
    "screen": [],
    "at": "http://localhost/",
    "problems": [],
    "html": "",
    "status": 200,
}
BUTTON = {"index": 3, "role": "button", "name": "Add 7", "link": "", "owned": True, "fields": []}
LOOKED = {"looked": "cGljdHVyZQ==", "problems": []}


class ScriptedBrowser:
    """Says what it was given, and keeps what it is told."""

    def __init__(self, *says: dict[str, Any]) -> None:
        self._says = deque(says)
        self.told: list[dict[str, Any]] = []

    def settle(self) -> None:
        """Be quiet already."""

    def tell(self, message: dict[str, Any]) -> None:
        self.told.append(message)

    def heard(self) -> dict[str, Any]:
        if not self._says:
            raise BrowserGone("the browser has ended")
        return self._says.popleft()


def asks(method: str, target: str, body: object = None, leads: bool = False) -> dict[str, Any]:
    sent = b"" if body is None else json.dumps(body).encode()
    return {
        "request": method,
        "target": target,
        "headers": {"content-type": "application/json"} if sent else {},
        "cookies": {},
        "body": base64.b64encode(sent).decode(),
        "leads": leads,
    }


def visit_of(browser: ScriptedBrowser, problems: PageProblems | None = None) -> Visit:
    problem = HttpProblem(
        [
            Endpoint("GET", "/", "home"),
            Endpoint("GET", "/done", "done"),
            Endpoint("POST", "/api/notes", "add"),
        ]
    )
    guide = VisitGuide(
        problem.known.model,
        LeastUsedSelector(),
        lambda request: Response(200, (), b"script") if request.path == "/x.js" else None,
        problems or PageProblems(),
        SeenScreens(
            Guide(
                problem.known,
                problem.composer,
                PageCalls(problem.known),
                LeastUsedSelector(),
                StateModel(),
            )
        ),
    )
    first = Call("GET /", (), 1, "ann")
    return Visit(browser, guide, first, derive(1, "test"))  # type: ignore[arg-type]


def exchange(method: str, path: str, status: int, *headers: tuple[str, str]) -> Exchange:
    return Exchange(Request(method, path), Response(status, headers, b"<p>"), "ann")


def test_what_a_script_sends_becomes_a_call_and_its_answer_goes_back() -> None:
    browser = ScriptedBrowser(
        asks("GET", "/", leads=True),
        asks("GET", "/x.js"),
        {**QUIET, "screen": [BUTTON]},
        LOOKED,
        asks("POST", "/api/notes", {"note": {"check": "3f-7"}}),
        QUIET,
    )
    visit = visit_of(browser)
    seen = [exchange("GET", "/", 200)]
    call = visit.next_call(seen)
    assert call is not None
    assert (call.endpoint, call.label, call.user) == ("POST /api/notes", 2, "ann")
    assert [one.gene.value() for one in call.inputs] == [{"note": {"check": "3f-7"}}]
    assert visit.next_call([*seen, exchange("POST", "/api/notes", 201)]) is None
    assert [one.get("status") for one in browser.told] == [None, 200, 200, None, None, 201]
    assert browser.told[4] == {"act": 3, "fill": []}
    assert base64.b64decode(browser.told[2]["body"]) == b"script"
    assert (visit.actions, visit.gone) == (1, "")


def test_a_script_follows_a_redirect_and_a_page_is_led_on() -> None:
    browser = ScriptedBrowser(
        asks("GET", "/", leads=True), asks("POST", "/api/notes", {"a": 1}), QUIET, LOOKED
    )
    visit = visit_of(browser)
    seen = [exchange("GET", "/", 302, ("Location", "/done"))]
    assert visit.next_call(seen) is not None
    assert b"url=/done" in base64.b64decode(browser.told[1]["body"])
    seen.append(exchange("POST", "/api/notes", 303, ("Location", "/done")))
    followed = visit.next_call(seen)
    assert followed is not None
    assert followed.endpoint == "GET /done"
    assert visit.next_call([*seen, exchange("GET", "/done", 200)]) is None
    assert [one.get("status") for one in browser.told] == [None, 200, 200, None]


def test_problems_are_noted_and_a_browser_that_ends_only_ends_the_visit() -> None:
    problems = PageProblems()
    told = {"kind": "uncaught error", "message": "x is not a function", "page": "/"}
    browser = ScriptedBrowser(
        asks("GET", "/", leads=True), {**QUIET, "screen": [BUTTON], "problems": [told]}, LOOKED
    )
    visit = visit_of(browser, problems)
    assert visit.next_call([exchange("GET", "/", 200)]) is None
    assert visit.gone == "the browser has ended"
    [problem] = problems.all()
    assert (problem.message, problem.action) == ("x is not a function", "")
    assert problem.picture == "cGljdHVyZQ=="


def test_a_broken_link_counts_where_a_link_was_followed_only() -> None:
    problems = PageProblems()
    told = {"kind": "broken link", "message": "/gone answers 404", "page": "/"}
    link = {**BUTTON, "role": "link", "link": "http://localhost/gone"}
    gone = {**QUIET, "at": "http://localhost/gone", "status": 404, "problems": [told]}
    for control in (BUTTON, link):
        browser = ScriptedBrowser(
            *(asks("GET", "/", leads=True), {**QUIET, "screen": [control]}, LOOKED),
            *(asks("GET", "/gone", leads=True), gone, LOOKED),
        )
        assert visit_of(browser, problems).next_call([exchange("GET", "/", 200)]) is None
    [problem] = problems.all()
    assert (problem.action, problem.times) == ("a click on link 'Add 7'", 1)
