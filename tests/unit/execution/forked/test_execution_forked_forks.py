"""Executions in forked children: what comes back, what stays, and what a child may do."""

from __future__ import annotations

import ctypes
import gc
import itertools
import os
import pickle
import random
import signal
import sqlite3
import sys
import threading
import time
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import closing
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask import jsonify
from flask import request
from hosts import OneApplication

from pytest_evosearch.core.budget import Budget
from pytest_evosearch.engine.preparing.preparation import prepared
from pytest_evosearch.engine.preparing.ready_search import Prepared
from pytest_evosearch.execution.conversation import Look
from pytest_evosearch.execution.conversation import Order
from pytest_evosearch.execution.forked.channel import Channel
from pytest_evosearch.execution.forked.channel import ChannelClosed
from pytest_evosearch.execution.forked.fork_server import Instruction
from pytest_evosearch.execution.forked.forks import reason_not_to_fork
from pytest_evosearch.execution.repetitions import other_randomness
from pytest_evosearch.execution.repetitions import shifted_clock
from pytest_evosearch.genes.choice import ConstantGene
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.settings.checked import SearchSettings
from pytest_evosearch.settings.checked import Settings

C_LIBRARY = ctypes.CDLL(None)
"""The way to end a process that no stand-in sees."""

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform cannot fork")


@contextmanager
def forked(app: Flask) -> Iterator[Prepared]:
    settings = Settings(
        Budget.parse("1x"),
        1,
        Path.cwd(),
        tunables={"request.timeout": "0.2"},
        search=SearchSettings(level=0),
    )
    with prepared(settings, OneApplication(app), None) as ready:
        ready.forks.start()
        try:
            yield ready
        finally:
            ready.forks.close()


def application(**handlers: Callable[[], Any]) -> Flask:
    app = Flask(__name__)
    for name, handler in handlers.items():
        app.add_url_rule(f"/{name}", name, handler)
    app.add_url_rule("/fine", "fine", lambda: "fine")
    return app


def calls(*names: str) -> Individual:
    return Individual(tuple(Call(f"GET /{name}", (), place) for place, name in enumerate(names)))


def perform(ready: Prepared, *names: str, look: Look = Look.SEARCH) -> list[Exchange]:
    return ready.forks.perform(Order(calls(*names), look)).exchanges


def text(exchange: Exchange) -> str:
    return exchange.response.text if exchange.response is not None else ""


def test_messages_of_any_size_arrive_whole_and_in_order() -> None:
    channel = Channel()
    sent = [b"", b"x", bytes(range(256)) * 4096]
    writer = threading.Thread(target=lambda: [channel.send(each) for each in sent])
    writer.start()
    assert [channel.receive() for _ in sent] == sent
    writer.join()
    os.close(channel.writing)
    with pytest.raises(ChannelClosed):
        channel.receive()
    os.close(channel.reading)
    with pytest.raises(ChannelClosed):
        channel.send(b"")


def test_what_happens_in_a_child_has_never_happened() -> None:
    numbers = (number for number in itertools.count(1))
    with forked(application(number=lambda: str(next(numbers)))) as ready:
        answers = [[text(one) for one in perform(ready, "number", "number")] for _ in range(3)]
    assert answers == [["1", "2"]] * 3
    assert next(numbers) == 1


def test_no_child_collects_what_it_shares_with_its_server() -> None:
    def collections() -> str:
        return str(gc.get_stats()[2]["collections"])

    with forked(application(collections=collections)) as ready:
        at_the_fork = int(collections())
        answers = [text(perform(ready, "collections")[0]) for _ in range(2)]
    assert answers == [str(at_the_fork + 1)] * 2  # one in the server, at its beginning


def rich() -> Flask:
    app = application(crash=lambda: [][0], refuse=lambda: ("no", 418))

    @app.get("/read")
    def read() -> Any:
        return jsonify(given=request.args.get("n", 3, type=int), kind=request.headers.get("X-A"))

    return app


@pytest.mark.parametrize("look", list(Look))
def test_a_child_tells_what_an_execution_here_tells(look: Look) -> None:
    numbered = Input(Location.QUERY, "n", ConstantGene("7"))
    individual = Individual((*calls("read", "crash", "refuse"), Call("GET /read", (numbered,), 9)))
    with forked(rich()) as ready:
        order = Order(individual, look)
        here = ready.executor.performer.perform(order)
        there = ready.forks.perform(order)
    assert there == here
    assert [exchange.status for exchange in there.exchanges] == [200, 500, 418, 200]


def test_conditions_travel() -> None:
    app = application(year=lambda: time.strftime("%Y"), drawn=lambda: str(random.random()))
    with forked(app) as ready:
        orders = [
            Order(calls("year", "drawn"), Look.AGAIN, condition=condition)
            for condition in (shifted_clock, other_randomness(1), other_randomness(1))
        ]
        later, drawn, again = (ready.forks.perform(order) for order in orders)
    assert int(text(later.exchanges[0])) > time.localtime().tm_year
    assert drawn.drew_random_numbers
    assert drawn.exchanges == again.exchanges


@pytest.mark.parametrize(
    ("end", "ending"),
    [
        (lambda: C_LIBRARY._exit(3), "exit code 3"),
        (lambda: ctypes.string_at(0), "SIGSEGV"),
        (lambda: C_LIBRARY.kill(os.getpid(), signal.SIGKILL), "SIGKILL"),
    ],
)
def test_a_child_that_dies_costs_one_call(end: Callable[[], Any], ending: str) -> None:
    with forked(application(end=end)) as ready:
        fine, ended = perform(ready, "fine", "end", "fine", look=Look.FULL)
        evaluation = evaluate(ready, "end")
        (after,) = perform(ready, "fine")
    assert (text(fine), ended.frozen, ended.died, text(after)) == ("fine", True, ending, "fine")
    assert list(evaluation.scores) == [f"fault GET /end {ending} unknown"]


def evaluate(ready: Prepared, *names: str) -> Any:
    ready.executor.move_to(ready.forks)
    return ready.executor.evaluate(calls(*names))


def hang_out_of_reach() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    threading.Event().wait(60)


def test_a_child_out_of_reach_of_its_time_limit_is_ended_as_a_freeze(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pytest_evosearch.execution.forked.fork_server.GRACE_SECONDS", 0.2)
    with forked(application(hang=hang_out_of_reach)) as ready:
        (hung,) = perform(ready, "hang")
        evaluation = evaluate(ready, "hang")
        (after,) = perform(ready, "fine")
    assert (hung.frozen, hung.died, text(after)) == (True, "", "fine")
    assert list(evaluation.scores) == ["fault GET /hang Freeze unknown"]


def test_an_ordinary_freeze_is_cut_off_by_the_child_itself() -> None:
    def loop() -> None:
        while True:
            pass

    with forked(application(loop=loop)) as ready:
        (frozen,) = perform(ready, "loop", "fine")  # nothing is sent after it
        (fine,) = perform(ready, "fine")
    assert (frozen.frozen, frozen.died, text(fine)) == (True, "", "fine")


def test_a_handler_that_forks_is_heard_once() -> None:
    with forked(application(fork=lambda: "child" if os.fork() == 0 else "parent")) as ready:
        assert [text(one) for one in perform(ready, "fork")] == ["parent"]
        assert [text(one) for one in perform(ready, "fine")] == ["fine"]


def test_files_are_brought_back_at_the_end_of_the_child(tmp_path: Path) -> None:
    file = tmp_path / "notes.db"

    def insert() -> str:
        with closing(sqlite3.connect(file)) as database, database:
            database.execute("CREATE TABLE IF NOT EXISTS notes (text)")
            database.execute("INSERT INTO notes VALUES ('a')")
            (count,) = database.execute("SELECT count(*) FROM notes").fetchone()
        return str(count)

    with forked(application(insert=insert)) as ready:
        answers = [[text(one) for one in perform(ready, "insert", "insert")] for _ in range(3)]
        assert ready.state.keeper.sqlite.files == (file,)
        with closing(sqlite3.connect(file)) as database:
            left = database.execute("SELECT name FROM sqlite_master").fetchall()
    assert answers == [["1", "2"]] * 3
    assert left == []


def test_what_a_child_imports_is_imported_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lately_imported.py").write_text("import os\nIMPORTER = os.getpid()\n")
    monkeypatch.syspath_prepend(tmp_path)

    def importing() -> str:
        import lately_imported  # type: ignore[import-not-found]

        return str(os.getpid() == lately_imported.IMPORTER)

    with forked(application(late=importing)) as ready:
        answers = [text(one) for _ in range(2) for one in perform(ready, "late")]
    module = sys.modules.pop("lately_imported")
    assert answers == ["True", "False"]
    assert os.getpid() == module.IMPORTER


def test_defaults_that_cannot_travel_are_left_behind() -> None:
    class Missing(str):
        """Pickle looks for it in the module, and in vain."""

        __slots__ = ()

    missing = Missing("none")

    def read() -> str:
        return str(request.args.get("n", missing) is missing)

    with forked(application(read=read)) as ready:
        order = Order(calls("read"), recorded=frozenset([0]))
        (exchange,) = ready.forks.perform(order).exchanges
    (read_once,) = (one for one in exchange.reads if one.location == "query")
    assert (text(exchange), read_once.path, read_once.default) == ("True", ("n",), None)


def test_without_its_server_everything_goes_on_here() -> None:
    numbers = itertools.count(1)
    with forked(application(number=lambda: str(next(numbers)))) as ready:
        os.kill(ready.forks._server, signal.SIGKILL)
        os.waitpid(ready.forks._server, 0)
        assert [text(one) for one in perform(ready, "number")] == ["1"]
        assert ready.forks.lost
    assert next(numbers) == 2


def test_an_error_of_our_own_in_a_child_is_ours() -> None:
    with forked(application()) as ready:
        ready.forks._message = (  # type: ignore[method-assign]
            lambda order: pickle.dumps(Instruction(order, endpoints={}))
        )
        with pytest.raises(RuntimeError, match=r"(?s)forked process failed.*KeyError: 'GET /f"):
            perform(ready, "fine")


def _work(done: threading.Event) -> None:
    while not done.is_set():
        time.sleep(0.01)


def test_a_daemon_that_waits_is_no_reason_not_to_fork() -> None:
    done = threading.Event()
    thread = threading.Thread(target=done.wait, daemon=True)
    thread.start()
    try:
        assert reason_not_to_fork() == ""
    finally:
        done.set()
        thread.join()


def test_other_threads_are_a_reason_not_to_fork() -> None:
    assert reason_not_to_fork() == ""
    done = threading.Event()
    thread = threading.Thread(target=_work, args=(done,), name="scheduler", daemon=True)
    thread.start()
    try:
        assert reason_not_to_fork() == "forking is not safe beside other threads (scheduler)"
    finally:
        done.set()
        thread.join()
