from __future__ import annotations

from pytest_evosearch.engine.browsing.page_problems import PageProblems
from pytest_evosearch.engine.browsing.page_problems import fault_rows
from pytest_evosearch.report.page_visits import BrowserSummary
from pytest_evosearch.sut.browser.page_steps import PageStep

SAVE, OPEN = PageStep("button", "Save", 0), PageStep("link", "Items", 0)


def told(number: int, kind: str = "uncaught error") -> list[dict[str, str]]:
    message = f"no item {number}\n  at x.js"
    return [{"kind": kind, "message": message, "page": f"/items/{number}"}]


def test_equal_problems_are_one_fault_with_page_action_and_number() -> None:
    problems = PageProblems()
    new = problems.note(told(1), "/", [OPEN, SAVE])
    assert len(new) == 1
    problems.show(new, "picture")
    assert problems.note(told(2), "/", [OPEN, SAVE]) == []
    [row] = fault_rows(problems.all())
    assert (row.code, row.endpoint, row.kind) == (
        "uncaught-error",
        "GET /items/1",
        "uncaught error",
    )
    assert row.message == "no item 1, after a click on button 'Save' (2 times)"
    assert (row.is_minor, row.test) == (True, None)
    assert BrowserSummary(1, 1, problems.all()).picture_of(row.way) == "picture"


def test_the_shortest_way_is_told() -> None:
    problems = PageProblems()
    problems.note(told(1), "/", [OPEN, SAVE])
    problems.note(told(1), "/", [SAVE])
    problems.note(told(1), "/", [OPEN, OPEN, SAVE])
    problems.note(told(1), "/", [], "ann")
    [problem] = problems.all()
    assert (problem.start, problem.way, problem.times) == ("/", (SAVE,), 4)
    assert problem.user is None


def test_only_chosen_oracles_count() -> None:
    problems = PageProblems(["broken-link"])
    problems.note([*told(1), *told(1, "broken link")], "/")
    assert [one.kind for one in problems.all()] == ["broken link"]
