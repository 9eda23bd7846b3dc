from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_evosearch.harvest.obstacles import foreign_file
from pytest_evosearch.harvest.obstacles import missing_service
from pytest_evosearch.harvest.obstacles import obstacle_of_calls
from pytest_evosearch.harvest.obstacles import unstable_status
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.reported_faults import NO_SERVER_ERROR
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault
from pytest_evosearch.problem.http.exchanges.seen_inside import Crash
from pytest_evosearch.problem.http.exchanges.seen_inside import Evidence

OK = Exchange(Request("GET", "/"), Response(200))
CRASH = Crash("KeyError", "builtins", "'price'", "shop.py", 7, "view", "Traceback ...")


def crashed(**changes: object) -> Exchange:
    return replace(OK, response=None, crash=replace(CRASH, **changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("exchanges", "reason"),
    [
        ((replace(OK, frozen=True, died="SIGSEGV"),), "ends the process"),
        ((crashed(type_name="MemoryError"),), "so much memory"),
        ((replace(OK, response=None, frozen=True), OK), "within the time limit"),
        ((crashed(type_name="KeyboardInterrupt"),), "raises KeyboardInterrupt"),
        ((crashed(), OK), "an earlier call that crashes"),
        ((replace(OK, slept=1.5), replace(OK, slept=1.0)), "sleep 2.5 seconds"),
        ((OK, replace(OK, sent=False)), "refuses to send"),
        ((OK, replace(OK, evidence=Evidence(absent=("film",)))), "no table film"),
        (
            (crashed(message="'rows'"), replace(OK, evidence=Evidence(absent=("film",)))),
            "no table film",
        ),
    ],
)
def test_calls_that_stand_in_the_way_say_why(exchanges: tuple[Exchange, ...], reason: str) -> None:
    assert reason in (obstacle_of_calls(exchanges) or "")


def test_crash_of_the_call_under_test_is_what_the_test_is_about() -> None:
    assert obstacle_of_calls((OK, crashed())) is None


def test_crash_that_names_a_missing_table_is_shown() -> None:
    act = replace(crashed(message="no such table: film"), evidence=Evidence(absent=("film",)))
    assert obstacle_of_calls((OK, act)) is None


def test_service_is_missing_only_where_a_connection_failed() -> None:
    assert missing_service(crashed()) is None
    lacking = crashed(type_name="ConnectionRefusedError", message="6379", unreachable=True)
    assert missing_service(lacking) == (
        "a service that it needs is not there: ConnectionRefusedError: 6379"
    )


def test_file_outside_of_its_folder_depends_on_the_machine() -> None:
    opened = Fault("path-traversal", "GET /", "", "", "opens /etc/hosts", 0, "", NO_SERVER_ERROR)
    assert foreign_file([opened]) == "it depends on this machine: opens /etc/hosts"
    assert foreign_file([replace(opened, code="server-error")]) is None


def test_only_a_status_that_changes_spoils_a_test() -> None:
    assert unstable_status({(0, ("text",)): "moves with the clock"}) is None
    moving = {(1, ("status",)): "moves with the clock"}
    assert unstable_status(moving) == "unstable: its status moves with the clock"
