from __future__ import annotations

import importlib.util
import os
import queue
import random
import signal
import sys
import time
import warnings
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from flask import Flask
from flask import Response as FlaskResponse
from flask import request
from flask.testing import FlaskClient
from hosts import OneApplication

from pytest_evosearch.core.budget import Budget
from pytest_evosearch.core.targets import status_target
from pytest_evosearch.engine.preparing.preparation import prepared
from pytest_evosearch.engine.preparing.ready_search import Prepared
from pytest_evosearch.execution.repetitions import other_randomness
from pytest_evosearch.execution.repetitions import unchanged
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.settings.checked import SearchSettings
from pytest_evosearch.settings.checked import Settings
from pytest_evosearch.sut.handle import User

APPS = Path(__file__).parents[2] / "apps"


@contextmanager
def ready(app: Any, timeout: float = 5.0, **details: Any) -> Iterator[Prepared]:
    settings = Settings(
        Budget.parse("1x"),
        1,
        APPS,
        tunables={"request.timeout": str(timeout)},
        search=SearchSettings(level=0),
    )
    with prepared(settings, OneApplication(app, **details), None) as found:
        yield found


def load(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"executed_{name}", APPS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return module


def calls(*endpoints: str, user: str | None = None) -> Individual:
    return Individual(
        tuple(Call(endpoint, (), label, user=user) for label, endpoint in enumerate(endpoints, 1))
    )


def exchanges_of(found: Prepared, *endpoints: str, user: str | None = None) -> list[Exchange]:
    observation = found.executor.evaluate(calls(*endpoints, user=user)).observation
    assert isinstance(observation, Observation)
    return list(observation.exchanges)


def application(handler: Callable[[], Any]) -> Flask:
    app = Flask(__name__)
    app.add_url_rule("/", "index", handler)
    app.add_url_rule("/fine", "fine", lambda: "fine")
    return app


@pytest.mark.parametrize(
    ("path", "status", "crash"),
    [
        ("/crash", 500, "KeyError"),
        ("/exit", 500, "SystemExit"),
        ("/refuse", 418, None),
        ("/stream", 200, "ValueError"),
        ("/endless", 200, None),
        ("/close", 200, "ZeroDivisionError"),
    ],
)
def test_every_way_to_fail_is_an_exchange(
    path: str, status: int, crash: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ready(load("failing", monkeypatch).app) as found:
        (exchange,) = exchanges_of(found, f"GET {path}")
    assert exchange.status == status
    assert (exchange.crash.type_name if exchange.crash else None) == crash
    assert exchange.sent
    assert not exchange.frozen


def test_endless_body_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    with ready(load("failing", monkeypatch).app) as found:
        (exchange,) = exchanges_of(found, "GET /endless")
    assert exchange.response is not None
    assert exchange.response.truncated


def events(asleep: float, answers: bool = True) -> Callable[[], FlaskResponse]:
    """Return a handler whose stream sleeps before each piece, or sends none."""

    def pieces() -> Iterator[str]:
        while True:
            time.sleep(asleep)
            if answers:
                yield "data: news\n\n"

    return lambda: FlaskResponse(pieces(), mimetype="text/event-stream")


def test_a_live_stream_is_answered_with_its_first_piece() -> None:
    with ready(application(events(0.5))) as found:
        (exchange,) = exchanges_of(found, "GET /")
    assert exchange.response is not None
    assert exchange.response.live
    assert exchange.response.body == b"data: news\n\n"
    assert (exchange.slept, exchange.frozen) == (0.5, False)


def test_a_live_stream_without_news_cannot_be_a_test_and_is_no_fault() -> None:
    with ready(application(events(1, answers=False))) as found:
        observation = found.executor.evaluate(calls("GET /")).observation
    assert isinstance(observation, Observation)
    assert observation.exchanges[0].frozen
    assert not observation.faults


def test_cookies_stay_with_the_client_of_one_test(monkeypatch: pytest.MonkeyPatch) -> None:
    with ready(load("failing", monkeypatch).app) as found:
        together = exchanges_of(found, "GET /cookie", "GET /taste")
        apart = exchanges_of(found, "GET /taste")
    assert together[1].status == 200
    assert apart[0].status == 400


def test_state_is_restored_before_each_test(monkeypatch: pytest.MonkeyPatch) -> None:
    module = load("todo_memory", monkeypatch)
    with ready(module.app) as found:
        first = exchanges_of(found, "POST /todos", "GET /todos")
        second = exchanges_of(found, "POST /todos", "GET /todos")
    assert [exchange.response for exchange in first] == [exchange.response for exchange in second]


def test_statuses_are_targets_of_the_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    with ready(load("failing", monkeypatch).app) as found:
        evaluation = found.executor.evaluate(calls("GET /refuse"))
        fully = found.executor.evaluate_fully(calls("GET /refuse", "GET /cookie"))
    assert evaluation.scores == {status_target("GET /refuse", 418): 1.0}
    assert fully.covered_by_call == (
        {status_target("GET /refuse", 418)},
        {status_target("GET /cookie", 200)},
    )


def test_a_full_execution_notes_each_class_of_warnings() -> None:
    def old() -> str:
        warnings.warn("one hides the other", DeprecationWarning, stacklevel=2)
        warnings.warn("here", UserWarning, stacklevel=2)
        warnings.warn("by chance", ResourceWarning, stacklevel=2)
        return "old"

    with ready(application(old)) as found:
        before = list(warnings.filters)
        once, again = (found.executor.evaluate_fully(calls("GET /")) for _time in range(2))
        assert warnings.filters == before

    assert once.consequences == again.consequences
    assert once.consequences.warnings == ("DeprecationWarning", "UserWarning")
    assert once.disturbances == ()


def freeze() -> str:
    while True:
        pass


def test_freeze_covers_nothing_but_its_fault() -> None:
    with ready(application(freeze), timeout=0.05) as found:
        evaluation = found.executor.evaluate(calls("GET /fine", "GET /"))
        fully = found.executor.evaluate_fully(calls("GET /fine", "GET /"))
    observation = evaluation.observation
    assert isinstance(observation, Observation)
    (fault,) = observation.faults
    assert fault.code == "freeze"
    assert set(evaluation.scores) == {fault.target}
    assert fully.covered_by_call == ({status_target("GET /fine", 200)}, {fault.target})


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="needs POSIX signals")
@pytest.mark.parametrize("client_class", [FlaskClient, type("OwnClient", (FlaskClient,), {})])
def test_stream_of_events_that_waits_for_ever_is_no_freeze(client_class: type) -> None:
    """As in Lektor: whoever listens hears at once that somebody is there, then nothing."""

    def events() -> Iterator[str]:
        yield "data: ping\n\n"
        queue.Queue[str]().get()

    app = application(lambda: FlaskResponse(events(), mimetype="text/event-stream"))
    app.test_client_class = client_class
    with ready(app, timeout=2) as found:
        first, second = exchanges_of(found, "GET /", "GET /fine")

    assert first.response is not None
    assert first.response.truncated
    assert (first.status, first.frozen, first.crash) == (200, False, None)
    assert first.response.body == b"data: ping\n\n"
    assert second.status == 200


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="needs POSIX signals")
def test_call_that_drops_the_alarm_does_not_let_the_next_one_end_the_process() -> None:
    app = application(freeze)

    @app.get("/alarms")
    def alarms() -> str:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        return "dropped"

    with ready(app, timeout=0.2) as found:
        first, second = exchanges_of(found, "GET /alarms", "GET /")

        assert first.status == 200
        assert second.frozen
        full = found.executor.evaluate_fully(calls("GET /alarms", "GET /"))
        assert "takes over a signal" in full.disturbances


def interrupt() -> str:
    raise KeyboardInterrupt


def test_keyboard_interrupt_of_the_application_is_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "pytest_evosearch.execution.call_sending.signal.getsignal",
        lambda _number: lambda *_: None,
    )
    with ready(application(interrupt)) as found:
        (exchange,) = exchanges_of(found, "GET /")
    assert exchange.crash is not None
    assert exchange.crash.type_name == "KeyboardInterrupt"


def test_keyboard_interrupt_may_be_the_user_under_the_default_handler() -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background
    try:
        with ready(application(interrupt)) as found, pytest.raises(KeyboardInterrupt):
            found.executor.evaluate(calls("GET /"))
    finally:
        signal.signal(signal.SIGINT, before)


def move() -> str:
    os.chdir("/")
    return "moved"


def test_disturbance_is_put_back_and_told() -> None:
    before = Path.cwd()
    with ready(application(move)) as found:
        fully = found.executor.evaluate_fully(calls("GET /"))
        calm = found.executor.evaluate_fully(calls("GET /fine"))
    assert fully.disturbances == ("changes the working directory",)
    assert calm.disturbances == ()
    assert Path.cwd() == before


def test_what_the_sandbox_held_back_is_told() -> None:
    harms: dict[str, int] = {}

    def harm() -> str:
        harms["remove /srv/shop.db"] = harms.get("remove /srv/shop.db", 0) + 1
        raise PermissionError

    with ready(application(harm), harms=lambda: harms) as found:
        (exchange,) = exchanges_of(found, "GET /")
        fully = found.executor.evaluate_fully(calls("GET /"))
        calm = found.executor.evaluate_fully(calls("GET /fine"))
    assert exchange.held_back
    assert fully.harms == ("remove /srv/shop.db",)
    assert calm.harms == ()


def test_user_whose_login_crashes_is_anonymous() -> None:
    def log_in(_client: Any) -> None:
        raise SystemExit

    with ready(application(lambda: "hello"), users={"ann": User("ann", login=log_in)}) as found:
        (exchange,) = exchanges_of(found, "GET /", user="ann")
    assert (exchange.status, exchange.user) == (200, "ann")


def test_header_and_query_of_a_user_are_not_joined_with_those_of_a_call() -> None:
    """Werkzeug would send ``Bearer t,a``, which no written test does."""
    ann = User("ann", {"Authorization": "Bearer t"}, {"key": "1"})
    inputs = (
        Input(Location.HEADER, "authorization", TextGene(current="a")),
        Input(Location.QUERY, "key", TextGene(current="2")),
        Input(Location.HEADER, "X-Other", TextGene(current="b")),
    )

    def said() -> list[object]:
        return [*request.headers.getlist("Authorization"), *request.args.getlist("key")]

    with ready(application(said), users={"ann": ann}) as found:
        observation = found.executor.evaluate(
            Individual((Call("GET /", inputs, 1, user="ann"),))
        ).observation
    assert isinstance(observation, Observation)
    (exchange,) = observation.exchanges
    assert exchange.response is not None
    assert exchange.response.json() == ["Bearer t", "1"]
    assert exchange.request.headers == (("X-Other", "b"),)


def test_repetition_gives_the_same_exchanges(monkeypatch: pytest.MonkeyPatch) -> None:
    with ready(load("todo_memory", monkeypatch).app) as found:
        once = found.executor.repeat(calls("GET /todos"), unchanged)
        again = found.executor.repeat(calls("GET /todos"), unchanged)
    assert [one.response for one in once] == [one.response for one in again]
    assert not found.executor.drew_random_numbers


def test_repetition_with_another_seed_draws_other_numbers() -> None:
    """Restoring the state seeds the numbers, which must not undo the seed of the repetition."""
    with ready(application(lambda: str(random.random()))) as found:
        test = calls("GET /")
        (once,), (other,), (again,) = (
            found.executor.repeat(test, condition)
            for condition in (unchanged, other_randomness(7), unchanged)
        )
    assert found.executor.drew_random_numbers
    assert once.response == again.response
    assert once.response != other.response


def want_a_name() -> str:
    return request.form["name"]


def want_a_thread() -> str:
    raise RuntimeError("can't start new thread")


def want_an_answer() -> str:
    return input("really? ")


def fail() -> str:
    return str([][0])


@pytest.mark.parametrize(
    ("handler", "faults"),
    [(want_a_name, 0), (want_a_thread, 0), (want_an_answer, 0), (fail, 1)],
    ids=["refusal-in-debug-mode", "too-many-threads", "no-terminal", "crash"],
)
def test_what_no_server_would_answer_with_500_is_no_fault(
    handler: Callable[[], Any], faults: int
) -> None:
    app = application(handler)
    app.config.update(TESTING=True, DEBUG=True)
    with ready(app) as found:
        observation = found.executor.evaluate(calls("GET /")).observation
    assert isinstance(observation, Observation)
    assert len(observation.faults) == faults


def test_a_repetition_counts_draws_of_the_system_in_each_of_its_calls() -> None:
    with ready(application(lambda: os.urandom(2).hex())) as found:
        found.executor.repeat(calls("GET /"), unchanged)
        once = found.executor.draws
        found.executor.repeat(calls("GET /", "GET /", "GET /"), unchanged)

        assert once > 0
        assert found.executor.draws == 3 * once
