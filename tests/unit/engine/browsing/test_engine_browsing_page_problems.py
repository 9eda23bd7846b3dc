from __future__ import annotations

from pytest_evosearch.engine.browsing.page_problems import PageProblems


def test_equal_problems_are_told_once_with_their_number() -> None:
    problems = PageProblems()
    for number in (1, 2):
        problems.note(
            [
                {
                    "kind": "uncaught error",
                    "message": f"no item {number}\n  at x.js",
                    "page": f"/items/{number}",
                }
            ]
        )
    assert list(problems.notices()) == [
        "browser: uncaught error on /items/1: no item 1 (2 times)",
    ]


def test_the_summary_names_a_few_and_the_report_all() -> None:
    problems = PageProblems()
    problems.note({"kind": "console error", "message": one, "page": "/"} for one in "abcdefg")
    assert len(problems.all()) == 7
    assert list(problems.notices())[-1] == "browser: 2 more problems of pages are in report.json"
