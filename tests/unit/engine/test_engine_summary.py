from __future__ import annotations

from dataclasses import replace

from pytest_evosearch.engine.evidence import Replays
from pytest_evosearch.engine.search_statistics import Statistics
from pytest_evosearch.engine.summary import fault_rows
from pytest_evosearch.harvest.worthy_faults import HOSTILE
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault
from pytest_evosearch.problem.http.exchanges.seen_inside import Crash
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.written_suite import WrittenSuite


def failing(path: str) -> Specimen:
    request = Request("POST", path)
    crash = Crash("TypeError", "builtins", "not a mapping", "a.py", len(path), "view", "")
    fault = Fault("F100", request.endpoint, "TypeError", f"a.py:{len(path)}", "no", 0, path)
    return Specimen((Exchange(request, None, None, crash),), fault=fault)


def test_what_one_test_shows_is_one_fault_of_several_endpoints() -> None:
    specimens = [failing(path) for path in ("/log-in", "/notes", "/notes/new", "/tags")]
    statistics = Statistics()
    for specimen in specimens:
        assert specimen.fault is not None
        statistics.note_fault(specimen.fault)
    shown = {0: "test_faults.py::test_post", 1: "test_faults.py::test_post"}
    suite = WrittenSuite(["test_faults.py"], 1, [], [], shown)

    rows = list(fault_rows(statistics, specimens, suite, Replays((), {})))

    assert [(row.endpoint, row.elsewhere, row.test) for row in rows] == [
        ("POST /log-in", ("POST /notes",), "test_faults.py::test_post"),
        ("POST /notes/new", (), None),
        ("POST /tags", (), None),
    ]


def test_what_no_client_sends_is_one_fault_of_several_endpoints_without_a_test() -> None:
    specimens = [failing(path) for path in ("/log-in", "/register", "/notes")]
    statistics = Statistics()
    for specimen in specimens:
        assert specimen.fault is not None
        statistics.note_fault(specimen.fault)
    reasons = {"/log-in": HOSTILE, "/register": HOSTILE, "/notes": "it happened once"}

    rows = list(
        fault_rows(statistics, [], WrittenSuite([], 0, [], [], {}), Replays((), {}, reasons))
    )

    assert [(row.endpoint, row.elsewhere) for row in rows] == [
        ("POST /log-in", ("POST /register",)),
        ("POST /notes", ()),
    ]


def test_a_fault_is_told_in_the_words_of_its_test() -> None:
    specimen = failing("/notes")
    assert specimen.fault is not None
    statistics = Statistics()
    statistics.note_fault(replace(specimen.fault, message="no such page: 'zzz'"))
    simple = replace(specimen, fault=replace(specimen.fault, message="no such page: 'a'"))
    suite = WrittenSuite(["test_faults.py"], 1, [], [], {0: "test_faults.py::test_get"})

    (row,) = fault_rows(statistics, [simple], suite, Replays((), {}))

    assert row.message == "no such page: 'a'"


def test_what_differs_by_chance_in_a_message_tells_no_faults_apart() -> None:
    statistics, drawn = Statistics(), ("1b9d6bcd", "9c858901")
    for place, name in enumerate(drawn):
        target = f"fault {place}"
        message = f"no file 'drafts/{name}-bbfd-4b2d-9b5d-ab8dfbbd4bed'"
        endpoint = f"POST /drafts/{place}"
        statistics.note_fault(
            Fault("crash", endpoint, "OSError", "shop.py:7", message, 0, target, way=endpoint)
        )
    other = Fault("crash", "GET /", "OSError", "shop.py:7", "no file 'plan'", 0, "fault 2")
    statistics.note_fault(other)
    suite = WrittenSuite([], 0, [], [], {})

    rows = list(fault_rows(statistics, [], suite, Replays((), {})))

    assert [(row.message, row.endpoint, row.elsewhere) for row in rows] == [
        ("no file 'drafts/...'", "POST /drafts/0", ("POST /drafts/1",)),
        ("no file 'plan'", "GET /", ()),
    ]


def test_a_spoilt_state_explains_answers_and_no_crashes() -> None:
    statistics = Statistics()
    answer = Fault("server-error", "GET /", "5xx", "unknown", "", 0, "fault GET / 5xx unknown")
    crash = Fault("crash", "GET /", "KeyError", "shop.py:7", "'x'", 0, "fault GET / KeyError")
    for fault in (answer, crash):
        statistics.note_fault(fault)
    assert statistics.withdraw([answer.target, crash.target, "fault GET / other"]) == 1
    assert list(statistics.faults) == [crash.target]
