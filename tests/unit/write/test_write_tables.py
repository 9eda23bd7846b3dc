from __future__ import annotations

from dataclasses import replace

from pytest_evosearch.problem.http.exchange import Crash
from pytest_evosearch.problem.http.exchange import Exchange
from pytest_evosearch.problem.http.exchange import Fault
from pytest_evosearch.problem.http.exchange import Request
from pytest_evosearch.problem.http.exchange import Response
from pytest_evosearch.write.builder import Surroundings
from pytest_evosearch.write.builder import build_test
from pytest_evosearch.write.grouping import MOST_ROWS
from pytest_evosearch.write.layout import Layout
from pytest_evosearch.write.plan import Verdicts
from pytest_evosearch.write.plan import build_planned
from pytest_evosearch.write.plan import plan_suite
from pytest_evosearch.write.printing import print_test
from pytest_evosearch.write.specimen import FollowUp
from pytest_evosearch.write.specimen import Specimen
from pytest_evosearch.write.variants import _rows
from pytest_evosearch.write.variants import of_one_type

TEXT = (("Content-Type", "text/plain"),)


def title(sex: str, name: str) -> Specimen:
    request = Request("GET", "/title/{sex}/{title}", path={"sex": sex, "title": name})
    return Specimen((Exchange(request, Response(200, TEXT, name.encode())),))


def test_url_values_of_a_column_have_one_type() -> None:
    assert of_one_type([4, "0.0", "-8"]) == [4, 0.0, -8]
    assert of_one_type([0, "baab"]) == ["0", "baab"]
    assert of_one_type([True, 1]) == [True, 1]
    assert of_one_type([7, str(10**400)]) == [7, 10**400]
    assert of_one_type([7, "inf"]) == ["7", "inf"]


def test_long_tables_are_split_by_the_value_that_groups_their_rows() -> None:
    specimens = [title(sex, name) for sex in ("male", "none") for name in "abcdefghij"]

    plan = plan_suite(specimens, Surroundings())

    assert [one.name for one in plan.tests] == [
        "test_get_title_male_returns_200",
        "test_get_title_none_returns_200",
    ]
    assert all(len(one.specimens) <= MOST_ROWS for one in plan.tests)


def test_rows_stand_in_natural_order() -> None:
    request = Request("GET", "/double/{n}")
    specimens = [
        Specimen((Exchange(Request("GET", request.template, path={"n": n}), Response(400)),))
        for n in (10, -1, 9)
    ]

    (planned,) = plan_suite(specimens, Surroundings()).tests

    sent = [specimens[index].act.request.path["n"] for index in planned.specimens]
    assert sent == [-1, 9, 10]


def test_the_same_call_by_many_methods_is_one_table() -> None:
    specimens = [
        Specimen((Exchange(Request(method, "/echo"), Response(200, TEXT, b"x")),))
        for method in ("GET", "POST", "PUT")
    ]

    (planned,) = plan_suite(specimens, Surroundings()).tests

    assert planned.name == "test_any_method_echo_returns_200"


def test_body_of_a_stream_that_crashes_is_read() -> None:
    request = Request("GET", "/stream")
    crash = Crash("ValueError", "builtins", "bad row", "a.py", 3, "rows", "")
    fault = Fault("crash", request.endpoint, "ValueError", "a.py:3", "bad row", 0, "t")
    specimen = Specimen((Exchange(request, Response(200, TEXT), None, crash),), fault=fault)

    lines = print_test(build_test(specimen, Surroundings()), Layout(), {})

    assert "    raises=ValueError," in lines or any("raises=ValueError" in one for one in lines)
    assert "    response.get_data()" in lines


def test_fixtures_that_bring_state_are_requested() -> None:
    specimen = title("male", "a")

    test = build_test(specimen, Surroundings(fixtures=("db",)))

    assert test.fixtures == ("client", "db")


def settings(name: str, said: str, before: str = "<h1>Settings</h1>") -> Specimen:
    page = (("Content-Type", "text/html"),)
    login = Exchange(Request("POST", "/login", form=(("key", "k1"),)), Response(302))
    save = Exchange(Request("POST", "/settings", form=(("name", name),)), Response(302))
    body = f"{before}<p class=flash>{said}</p>".encode()
    shown = Exchange(Request("GET", "/settings"), Response(200, page, body))
    return Specimen((login, save), follow_up=FollowUp(shown, before))


def test_longer_tests_that_differ_in_what_one_call_sends_are_one_table() -> None:
    specimens = [settings(name, "Invalid input.") for name in ("", "a" * 21)]

    (planned,) = plan_suite(specimens, Surroundings()).tests

    assert planned.name == "test_post_settings_says_invalid_input"
    assert len(planned.specimens) == 2


def test_what_the_last_call_of_longer_tests_answers_may_differ() -> None:
    specimens = [settings("", "Name is missing."), settings("a" * 21, "Name is too long.")]

    plan = plan_suite(specimens, Surroundings())
    (planned,) = plan.tests
    ((test, _),) = build_planned(planned, specimens, Surroundings(), Verdicts(), plan.bases)

    assert planned.name == "test_post_settings_then_get_settings_reflects_it"
    assert test.rows is not None
    assert test.rows.names == ("name", "text")
    assert "    assert text in listed.text" in print_test(test, Layout(), {})


def test_tests_that_differ_in_two_requests_stay_apart() -> None:
    one, other = settings("", "Invalid input."), settings("a" * 21, "Invalid input.")
    login = Exchange(Request("POST", "/login", form=(("key", "k2"),)), Response(302))
    other = replace(other, exchanges=(login, other.act))

    assert len(plan_suite([one, other], Surroundings()).tests) == 2


def test_rows_that_differ_in_their_path_are_called_after_it() -> None:
    login = "/login?next=/api/dataobj/local_edit/of/somebody/else"
    rows = _rows(
        {"path": ["/api/dataobj/local_edit", "/api/search"], "location": [login, f"{login}2"]},
        ["", ""],
    )

    assert rows.ids == ("api-dataobj-local-edit", "api-search")


def test_rows_of_objects_are_called_after_what_no_other_row_has() -> None:
    payloads: list[object] = [{"id": "a", "email": "b"}, {"id": "a", "name": "a", "email": ""}]

    rows = _rows({"payload": payloads}, ["", ""])

    assert rows.ids == ("without-name", "empty-email")
