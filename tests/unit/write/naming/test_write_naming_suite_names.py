from __future__ import annotations

from dataclasses import replace

from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.write.content.builder import Surroundings
from pytest_evosearch.write.content.proven_causes import Cause
from pytest_evosearch.write.content.specimen import FollowUp
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.naming.planned_functions import Verdicts
from pytest_evosearch.write.naming.planned_functions import build_planned
from pytest_evosearch.write.naming.suite_plan import Plan
from pytest_evosearch.write.naming.suite_plan import plan_suite

HTML = (("Content-Type", "text/html"),)
TEXT = (("Content-Type", "text/plain"),)


def entered(said: str) -> Specimen:
    """A log-in that leads to a page, which says something that it did not say before."""
    post = Exchange(Request("POST", "/enter"), Response(302, (("Location", "/"),)))
    page = f"<p class=flash>{said}</p><p>Home</p>".encode()
    read = Exchange(Request("GET", "/"), Response(200, HTML, page))
    return Specimen((post,), follow_up=FollowUp(read, "<p>Home</p>"))


def refused(title: str, message: bytes) -> Specimen:
    request = Request("POST", "/notes", json={"title": title}, has_json=True)
    return Specimen((Exchange(request, Response(400, TEXT, message)),))


def names(specimens: list[Specimen], plan: Plan, verdicts: Verdicts | None = None) -> list[str]:
    found = []
    renaming = plan.renaming(plan.tests[0].module)
    for planned in plan.tests:
        built = build_planned(
            planned, specimens, Surroundings(), verdicts or Verdicts(), plan, renaming
        )
        found += [test.name for test, _ in built]
    return found


def test_what_is_as_planned_keeps_its_name() -> None:
    specimens = [entered("Welcome back"), refused("a", b"too short")]
    plan = plan_suite(specimens, Surroundings())

    assert names(specimens, plan) == [one.name for one in plan.tests]
    assert "test_post_enter_says_welcome_back" in names(specimens, plan)


def test_a_message_that_is_no_longer_asserted_is_not_in_the_name() -> None:
    specimens = [entered("Welcome back")]
    plan = plan_suite(specimens, Surroundings())
    other = ("<p class=flash>Hello</p><p>Home</p>",)
    repaired = [replace(specimens[0], unstable={(1, ("text",)): "differs"}, again={1: other})]

    assert names(repaired, plan) == ["test_post_enter_then_get_index_returns_200"]


def test_what_asserts_only_statuses_says_no_more() -> None:
    specimens = [entered("Welcome back")]
    plan = plan_suite(specimens, Surroundings())

    found = names(specimens, plan, Verdicts(lowered=frozenset({0})))

    assert found == ["test_post_enter_then_get_index_returns_200"]


def test_a_row_that_leaves_its_table_has_a_name_of_its_own() -> None:
    specimens = [refused(title, b"a title is needed") for title in ("", "  ", "a" * 50)]
    plan = plan_suite(specimens, Surroundings())
    (planned,) = plan.tests

    found = names(specimens, plan, Verdicts(lowered=frozenset({2})))

    assert len(planned.specimens) == 3
    assert planned.name == "test_post_notes_title_is_needed_returns_400"
    assert found == [
        "test_post_notes_title_is_needed_returns_400",
        "test_post_notes_returns_400",
    ]


def test_a_table_of_one_option_in_several_ways_is_about_that_option() -> None:
    def added(status: int = 201, **fields: object) -> Specimen:
        request = Request("POST", "/notes", json={"title": "a", **fields}, has_json=True)
        causes = tuple(Cause("json", *pair) for pair in fields.items())
        return Specimen((Exchange(request, Response(status)),), causes=causes)

    specimens = [added(), added(year=0), added(year=1990)]

    found = [one.name for one in plan_suite(specimens, Surroundings()).tests]

    assert found == ["test_post_notes_returns_201", "test_post_notes_with_year_returns_201"]
