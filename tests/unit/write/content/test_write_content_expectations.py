from __future__ import annotations

import pytest

from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.reported_faults import Expectation
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault
from pytest_evosearch.write.code.layout import Layout
from pytest_evosearch.write.content.builder import Surroundings
from pytest_evosearch.write.content.builder import build_test
from pytest_evosearch.write.content.builder import named
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.content.written_calls import Unwritable
from pytest_evosearch.write.modules.printing import print_test

CASES = [
    (Expectation("status-in", (404, 410)), "response.status_code in (404, 410)", "not in"),
    (Expectation("status-is-not", 404), "response.status_code != 404", "=="),
    (Expectation("location-is-not", "//x/"), 'response.location != "//x/"', "=="),
    (Expectation("status-below", 400), "response.status_code < 400", ">="),
    (Expectation("lacks", "<x>"), '"<x>" not in response.text', "in"),
    (Expectation("header", "Allow"), '"Allow" in response.headers', "not in"),
    (Expectation("empty"), 'response.data == b""', "!="),
    (Expectation("json-has", "id", (0,)), '"id" in response.json[0]', "not in"),
    (Expectation("json-lacks", "id"), '"id" not in response.json', "in"),
    (Expectation("json-type", ("int",), ("a",)), 'isinstance(response.json["a"], int)', "not"),
    (Expectation("json-is", None, ("a",)), 'response.json["a"] is None', "is not"),
    (Expectation("json-is", 3, ("a",)), 'response.json["a"] == 3', "!="),
    (Expectation("json-is-not", -1, ("a",)), 'response.json["a"] != -1', "=="),
    (Expectation("json-in", ["x"], ("a",)), 'response.json["a"] in ["x"]', "not in"),
    (Expectation("json-length", 1, ()), "len(response.json) == 1", "!="),
    (
        Expectation("lacks-setting", "SECRET_KEY"),
        'client.application.config["SECRET_KEY"] not in response.text',
        "in",
    ),
]


def printed(expectation: Expectation, mode: str) -> list[str]:
    exchange = Exchange(Request("GET", "/a"), Response(200))
    fault = Fault("some", "GET /a", "kind", "unknown", "message", 0, "fault", expectation)
    test = build_test(Specimen((exchange,), fault=fault), Surroundings(faults=mode))
    return print_test(named(test, "test_it"), Layout(), {})


@pytest.mark.parametrize(("expectation", "assertion", "opposite"), CASES)
def test_a_fault_test_asserts_what_should_hold(
    expectation: Expectation, assertion: str, opposite: str
) -> None:
    lines = printed(expectation, "xfail")
    assert lines[0].startswith("@pytest.mark.xfail(raises=AssertionError, strict=True")
    assert lines[-1] == f"    assert {assertion}"

    today = printed(expectation, "raises")[-1]
    assert today != lines[-1]
    assert f" {opposite} " in today


def test_what_no_response_shows_is_not_written() -> None:
    with pytest.raises(Unwritable, match="no response shows"):
        printed(Expectation("unseen"), "xfail")
