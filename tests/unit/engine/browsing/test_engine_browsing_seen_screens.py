from __future__ import annotations

from typing import Any

from pytest_evosearch.engine.browsing import seen_screens
from pytest_evosearch.engine.browsing.seen_screens import SeenScreens
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.http_problem import HttpProblem
from pytest_evosearch.problem.http.walks.page_calls import PageCalls
from pytest_evosearch.problem.http.walks.walk import Guide
from pytest_evosearch.screens.screen import screen_of
from pytest_evosearch.screens.state_model import StateModel
from pytest_evosearch.search.selecting.counting import LeastUsedSelector

HTML = '<h1>Notes</h1><a href="/done">Done</a>'
LINK = {"index": 0, "role": "link", "name": "Done", "owned": True, "fields": []}
PIN = {"index": 1, "role": "button", "name": "Pin 7", "owned": False, "fields": []}


def seen(**checks: Any) -> SeenScreens:
    problem = HttpProblem([Endpoint("GET", "/", "home"), Endpoint("GET", "/done", "done")])
    calls = PageCalls(problem.known)
    guide = Guide(problem.known, problem.composer, calls, LeastUsedSelector(), StateModel())
    return SeenScreens(guide, **checks)


def page(*controls: dict[str, Any]) -> dict[str, Any]:
    return {"at": "http://localhost/?a=1", "status": 200, "html": HTML, "screen": list(controls)}


def test_a_page_without_scripts_has_the_state_that_walks_know() -> None:
    known = screen_of("GET /", 200, HTML, lambda method, address: f"{method} {address}")
    assert seen().arrived(page(LINK), ()) == known.state


def test_controls_of_scripts_are_part_of_the_state_without_their_numbers() -> None:
    screens = seen()
    plain, pinned = screens.arrived(page(LINK), ()), screens.arrived(page(LINK, PIN), ())
    assert plain != pinned
    assert screens.arrived(page(LINK, {**PIN, "name": "Pin 8"}), ()) == pinned
    assert screens.states.records[pinned].visits == 2


def test_a_state_is_looked_at_once_and_again_where_something_was_found() -> None:
    screens = seen(axe="axe.js", overflow=True)
    state = screens.arrived(page(LINK), ())
    assert screens.look(state, False) == {"picture": True, "axe": "axe.js", "overflow": True}
    assert screens.look(state, False) == {}
    assert screens.look(state, True) == {"picture": True}


def test_pictures_are_bounded_in_number_and_size(monkeypatch: Any) -> None:
    monkeypatch.setattr(seen_screens, "MOST_BYTES", 10)
    screens = seen()
    state = screens.arrived(page(LINK), ())
    assert screens.keep("12345678") == "12345678"
    assert screens.keep("123") == ""
    assert screens.keep("12") == "12"
    assert screens.pictures == {state: "12345678"}
