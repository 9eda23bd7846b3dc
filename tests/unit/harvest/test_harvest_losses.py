from __future__ import annotations

from pytest_evosearch.harvest.losses import TOO_LATE
from pytest_evosearch.harvest.losses import Losses
from pytest_evosearch.harvest.losses import name_of
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.report.outcome import WANT_OF_TIME
from pytest_evosearch.write.verification.verdicts import NO_TIME

STORY = Individual((Call("POST /a", (), 1), Call("GET /b", (), 2)))


def test_a_test_is_named_by_its_calls() -> None:
    assert name_of(STORY) == "POST /a then GET /b"


def test_what_a_dropped_test_shows_has_its_reason() -> None:
    losses = Losses()
    losses.drop("GET /b", "it sleeps", ["fault x"])
    losses.give_up(STORY, ["line a:1"])
    assert [(row.name, row.reason) for row in losses.dropped] == [
        ("GET /b", "it sleeps"),
        ("POST /a then GET /b", TOO_LATE),
    ]
    assert losses.untested == {"fault x": "it sleeps", "line a:1": TOO_LATE}


def test_reports_know_what_a_longer_run_would_not_have_lost() -> None:
    assert TOO_LATE.startswith(WANT_OF_TIME)
    assert NO_TIME.startswith(WANT_OF_TIME)
