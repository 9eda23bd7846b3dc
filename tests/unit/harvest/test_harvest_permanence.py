from __future__ import annotations

from flask import Flask

from pytest_evosearch.harvest.permanence import HARMFUL
from pytest_evosearch.harvest.permanence import InForks
from pytest_evosearch.harvest.permanence import InProcess
from pytest_evosearch.harvest.permanence import OnLastingServer
from pytest_evosearch.harvest.permanence import OnServer
from pytest_evosearch.harvest.permanence import permanence_of
from pytest_evosearch.minimize.unstable import AGAIN
from pytest_evosearch.minimize.unstable import CLOCK
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.sut.handle import AppHandle

DELETION = [Exchange(Request("DELETE", "/a/{id}", {"id": 1}), Response(204))]


def handle(**details: object) -> AppHandle:
    app = Flask("shop")
    return AppHandle(app, "shop", app.test_client, **details)  # type: ignore[arg-type]


def test_an_application_in_this_process_has_our_clock_and_its_state_comes_back() -> None:
    permanence = permanence_of(handle())
    assert type(permanence) is InProcess
    assert [name for name, _condition in permanence.conditions] == [AGAIN, CLOCK]
    assert permanence.obstacle(Individual(()), DELETION) is None


def test_the_clock_of_a_server_is_its_own() -> None:
    permanence = permanence_of(handle(outside=True))
    assert type(permanence) is OnServer
    assert [name for name, _condition in permanence.conditions] == [AGAIN, AGAIN]
    assert permanence.obstacle(Individual(()), DELETION) is None


def test_on_a_server_where_everything_stays_tests_touch_only_what_they_made() -> None:
    permanence = permanence_of(handle(outside=True, unrestored="nothing brings it back"))
    assert type(permanence) is OnLastingServer
    assert permanence.obstacle(Individual(()), DELETION) == HARMFUL
    permanence.answers.of_test(DELETION)
    assert len(permanence.foregone) == 1


def test_what_stays_though_the_state_was_put_back_is_no_test_of_a_shared_process() -> None:
    base = permanence_of(handle())
    ending = Individual(())
    left = "GET /jobs answers 500, not 200"
    permanence = InForks(base, lambda one: left if one is ending else "")
    assert permanence.answers is base.answers
    assert permanence.obstacle(Individual(()), DELETION) is None
    told = f"it leaves the application changed for other tests ({left})"
    assert permanence.obstacle(ending, DELETION) == told
