from __future__ import annotations

from pytest_evosearch.problem.http.exchange import Crash
from pytest_evosearch.problem.http.exchange import Exchange
from pytest_evosearch.problem.http.exchange import Fault
from pytest_evosearch.problem.http.exchange import Request
from pytest_evosearch.problem.http.exchange import Response
from pytest_evosearch.write.builder import Surroundings
from pytest_evosearch.write.builder import build_test
from pytest_evosearch.write.grouping import MOST_ROWS
from pytest_evosearch.write.layout import Layout
from pytest_evosearch.write.plan import plan_suite
from pytest_evosearch.write.printing import print_test
from pytest_evosearch.write.specimen import Specimen
from pytest_evosearch.write.variants import of_one_type

TEXT = (("Content-Type", "text/plain"),)


def title(sex: str, name: str) -> Specimen:
    request = Request("GET", "/title/{sex}/{title}", path={"sex": sex, "title": name})
    return Specimen((Exchange(request, Response(200, TEXT, name.encode())),))


def test_url_values_of_a_column_have_one_type() -> None:
    assert of_one_type([4, "0.0", "-8"]) == [4, 0.0, -8]
    assert of_one_type([0, "baab"]) == ["0", "baab"]
    assert of_one_type([True, 1]) == [True, 1]


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
