"""What reports learn from a finished search, on an application of twenty lines."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.trial import FactoryHost
from pytest_evosearch.core.budget import Budget
from pytest_evosearch.engine.algorithm_choice import make_loop
from pytest_evosearch.engine.evidence import read_source
from pytest_evosearch.engine.evidence import replays
from pytest_evosearch.engine.evidence import source_files
from pytest_evosearch.engine.evidence import uncovered
from pytest_evosearch.engine.loop import SearchLoop
from pytest_evosearch.engine.preparing.preparation import prepared
from pytest_evosearch.engine.preparing.ready_search import Prepared
from pytest_evosearch.engine.summary import HELD_BACK
from pytest_evosearch.engine.summary import LEFT_OUT
from pytest_evosearch.engine.summary import generated_rows
from pytest_evosearch.engine.summary import skipped_rows
from pytest_evosearch.instrument.install import install
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.observed import observed
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault
from pytest_evosearch.report.outcome import DroppedRow
from pytest_evosearch.report.outcome import UncoveredRow
from pytest_evosearch.settings.checked import Settings
from pytest_evosearch.write.content.specimen import FollowUp
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.written_suite import WrittenSuite

SOURCE = """\
import functools

from flask import Flask, request

DEBUG = False


def locked(view):
    @functools.wraps(view)
    def turn_away(**values):
        return "log in", 401

    return turn_away


def create_app():
    app = Flask("evidence_app")

    @app.get("/")
    def index():
        if DEBUG:
            return "debug"
        try:
            word = request.headers["X-Word"].swapcase()
        except AttributeError:
            return "impossible"
        if hash(word) == 7 and len(word) > 3:
            return "found"
        return "searched"

    @app.get("/admin")
    @locked
    def admin():
        return secret()

    return app


def secret():
    return "secret"


def forgotten():
    return 1
"""


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Prepared, SearchLoop]]:
    root = tmp_path_factory.mktemp("evidence")
    (root / "evidence_app.py").write_text(SOURCE)
    settings = Settings(budget=Budget.parse("60x"), seed=1, rootdir=root)
    sys.path.insert(0, str(root))
    try:
        with install(["evidence_app"], level=3, root=root) as recording:
            from evidence_app import create_app

            host = FactoryHost(create_app)
            with prepared(settings, host, recording) as ready:
                loop = make_loop(settings, host, ready, ())
                loop.run()
                yield ready, loop
    finally:
        sys.path.remove(str(root))
        sys.modules.pop("evidence_app", None)


@pytest.fixture(scope="module")
def rows(finished: tuple[Prepared, SearchLoop]) -> dict[str, UncoveredRow]:
    return {row.target: row for row in uncovered(*finished).rows()}


def test_functions_that_no_test_entered_are_explained_without_the_application(
    finished: tuple[Prepared, SearchLoop],
) -> None:
    found = uncovered(*finished)
    never = f"line evidence_app.py:{line_of('def forgotten') + 1}"
    near = f"branch evidence_app.py:{line_of('if hash(word)')} true"

    assert near in found.reasons
    assert never in found.targets
    assert never not in found.reasons
    assert {row.target: row.kind for row in found.rows()}[never] == "not-called"


def line_of(text: str) -> int:
    return next(number for number, line in enumerate(SOURCE.split("\n"), 1) if text in line)


def row(rows: dict[str, UncoveredRow], text: str, side: str = "") -> UncoveredRow:
    place = f"evidence_app.py:{line_of(text)}"
    return rows[f"branch {place} {side}" if side else f"line {place}"]


def test_a_condition_tells_its_nearest_miss(rows: dict[str, UncoveredRow]) -> None:
    found = row(rows, "if hash(word)", "true")
    assert found.kind == "condition"
    assert 0 < found.score < 1
    assert found.condition == "if hash(word) == 7 and len(word) > 3:"
    assert re.match(r"saw .*-?\d+ == 7; GET / -> 200", found.nearest)
    behind = row(rows, 'return "found"')
    assert behind.kind == "behind"
    assert (behind.nearest, behind.condition) == (found.nearest, found.condition)


def test_exceptions(rows: dict[str, UncoveredRow]) -> None:
    handler = row(rows, "except AttributeError", "except")
    assert (handler.kind, handler.reason) == ("exception", "no call raised AttributeError")
    assert handler.nearest.startswith("GET / -> ")
    assert row(rows, 'return "impossible"').kind == "exception"


def test_a_locked_view_and_an_uncalled_function(
    rows: dict[str, UncoveredRow],
) -> None:
    view = row(rows, "return secret()")
    assert (view.kind, view.reason) == ("needs-user", "GET /admin answered only 401")
    assert view.nearest == "GET /admin -> 401"
    used = row(rows, 'return "secret"')
    assert (used.kind, used.reason) == ("not-called", "secret() was never called")


def test_source_files_hold_the_state_of_every_line(
    finished: tuple[Prepared, SearchLoop],
) -> None:
    (file,) = source_files(*finished)
    lines = {line.number: line for line in file.lines}
    assert (file.path, file.text) == ("evidence_app.py", SOURCE)
    assert lines[line_of("import functools")].imported
    assert lines[line_of('return "searched"')].covered is True
    assert lines[line_of('return "found"')].covered is False
    sides = {(side.ordinal, side.label): side.score for side in lines[line_of("if hash")].sides}
    assert sides[1, "false"] == 1.0
    assert 0 < sides[1, "true"] < 1


def specimen(*targets: str, status: int = 200) -> Specimen:
    exchange = Exchange(Request("GET", "/"), Response(status))
    return Specimen((exchange,), frozenset(targets[:1]), covered=frozenset(targets))


MODULE = """\
import pytest


@pytest.mark.parametrize("value", [1, 2])
def test_many(client, value):
    assert value


def test_one(client):
    assert client
"""


def test_generated_rows_know_what_no_other_test_covers(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text(MODULE)
    specimens = [specimen("x", "a"), specimen("x", "b", status=404), specimen("x", "c")]
    test_of = {0: "test_a.py::test_many", 1: "test_a.py::test_many", 2: "test_a.py::test_one"}
    suite = WrittenSuite(["test_a.py"], 2, [], [], test_of)
    many, one = generated_rows(specimens, suite, tmp_path)
    assert (many.name, many.covered, many.only) == ("test_a.py::test_many", 3, ("a", "b"))
    assert [answer.status for answer in many.answers] == [200, 404]
    assert (many.first_line, many.last_line) == (4, 6)
    assert many.source.startswith("@pytest.mark.parametrize")
    assert (one.only, one.first_line) == (("c",), 9)


def test_a_fault_and_an_effect_are_what_no_other_test_shows(tmp_path: Path) -> None:
    fault = Fault("crash", "GET /", "X", "a.py:7", "m", 0, "fault GET / X a.py:7")
    shown = FollowUp(Exchange(Request("GET", "/items"), Response(200)))
    specimens = [
        specimen("a", "b", "fault GET / X a.py:7"),
        replace(specimen("a", "b", "c"), fault=fault),
        replace(specimen("a", "b", status=302), follow_up=shown),
    ]
    suite = WrittenSuite([], 3, [], [], {0: "t.py::test_a", 1: "t.py::test_b", 2: "t.py::test_c"})

    plain, failing, showing = generated_rows(specimens, suite, tmp_path)

    assert (failing.covered, failing.only) == (1, ("fault GET / X a.py:7",))
    assert showing.only == ("effect GET / 302 in GET /items 200",)
    assert plain.only == ()


def test_generated_rows_do_without_the_module(tmp_path: Path) -> None:
    suite = WrittenSuite(["gone.py"], 1, [], [], {0: "gone.py::test_one"})
    (found,) = generated_rows([specimen("x")], suite, tmp_path)
    assert (found.source, found.first_line, found.only) == ("", 0, ("x",))


def test_sources_are_read_in_their_own_encoding(tmp_path: Path) -> None:
    file = tmp_path / "latin.py"
    file.write_bytes("# coding: latin-1\nname = 'é'\n".encode("latin-1"))
    assert "'é'" in read_source(file)
    file.write_bytes(b"name = '\xff'\n")
    assert read_source(file) == ""
    assert read_source(tmp_path / "missing.py") == ""


def test_what_was_not_searched_is_told(finished: tuple[Prepared, SearchLoop]) -> None:
    ready, _ = finished
    assert [(row.name, row.reason) for row in skipped_rows(ready)] == [
        ("GET /static/{filename}", LEFT_OUT)
    ]
    guarded = replace(ready, handle=replace(ready.handle, blocked=lambda: ["run git at a.py:3"]))
    assert skipped_rows(guarded)[1:] == (DroppedRow("run git at a.py:3", HELD_BACK),)


def test_a_fault_without_a_test_can_still_be_seen_again(
    finished: tuple[Prepared, SearchLoop],
) -> None:
    ready, loop = finished
    target, fault = next(iter(loop.statistics.faults.items()))
    how = replays(ready, loop, ()).faults[target]
    assert how.curl.endswith("curl -i http://localhost:5000/")
    assert how.traceback.rstrip().endswith(f"KeyError: {fault.message}")
    assert how.user is None
    # What a specimen shows is not executed once more.
    shown = Specimen((Exchange(Request("GET", "/"), None),), fault=fault)
    assert replays(ready, loop, (shown,)).faults == {}


def test_a_fault_that_cannot_be_met_again_is_told_with_its_first_request(
    finished: tuple[Prepared, SearchLoop], monkeypatch: pytest.MonkeyPatch
) -> None:
    ready, loop = finished
    target = next(iter(loop.statistics.faults))
    evaluate = ready.executor.evaluate_fully

    def lost(individual: Any, *more: Any) -> Any:
        found = evaluate(individual, *more)
        observation = replace(observed(found.evaluation), exchanges=(), faults=())
        return replace(found, evaluation=replace(found.evaluation, observation=observation))

    monkeypatch.setattr(ready.executor, "evaluate_fully", lost)
    how = replays(ready, loop, ()).faults[target]
    assert how.curl.endswith("curl -i http://localhost:5000/")
    assert how.traceback == ""


def test_a_fault_that_there_is_no_time_to_see_again_is_told_as_the_search_saw_it(
    finished: tuple[Prepared, SearchLoop], monkeypatch: pytest.MonkeyPatch
) -> None:
    ready, loop = finished
    target, fault = next(iter(loop.statistics.faults.items()))
    executed: list[Any] = []
    monkeypatch.setattr(ready.executor, "evaluate_fully", executed.append)

    how = replays(ready, loop, (), seconds=-1.0, fault_seconds=-1.0).faults[target]

    assert not executed
    assert how.curl.endswith("curl -i http://localhost:5000/")
    assert how.traceback.rstrip().endswith(f"KeyError: {fault.message}")
