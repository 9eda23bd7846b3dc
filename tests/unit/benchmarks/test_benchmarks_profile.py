from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks.flames import flame_graph
from benchmarks.profile import fill_in
from benchmarks.profile import search_stacks
from benchmarks.profile import table
from benchmarks.stacks import APPLICATION
from benchmarks.stacks import ARCHIVE
from benchmarks.stacks import DOORS
from benchmarks.stacks import EXECUTION
from benchmarks.stacks import GARBAGE
from benchmarks.stacks import GUARDING
from benchmarks.stacks import LEARNING
from benchmarks.stacks import LOADING
from benchmarks.stacks import LOOKING
from benchmarks.stacks import MINIMISING
from benchmarks.stacks import OPENINGS
from benchmarks.stacks import ORACLES
from benchmarks.stacks import ORDER
from benchmarks.stacks import OTHER
from benchmarks.stacks import PHASES
from benchmarks.stacks import PROBES
from benchmarks.stacks import REQUESTS
from benchmarks.stacks import RESET
from benchmarks.stacks import ROOMS
from benchmarks.stacks import SEARCHING
from benchmarks.stacks import VARIATION
from benchmarks.stacks import VERIFYING
from benchmarks.stacks import WATCHING
from benchmarks.stacks import WRITING
from benchmarks.stacks import Frame
from benchmarks.stacks import Place
from benchmarks.stacks import Stack
from benchmarks.stacks import phase_of
from benchmarks.stacks import read_frame
from benchmarks.stacks import read_stacks
from benchmarks.stacks import room_of
from benchmarks.stacks import shares_of

PACKAGE = Path(__file__).parents[3] / "pytest_evosearch"
LIBRARIES = "/venv/lib/python3.11/site-packages"


def ours(where: str) -> Frame:
    """Write ``sut/clients/fast_client.py:_call`` as a frame."""
    path, _colon, function = where.partition(":")
    return Frame(f"Some.{function}", f"/work/pytest_evosearch/{path}", 7)


RUN = ours("engine/run.py:_search_beside")
SEARCH = (RUN, ours("engine/loop.py:run"), ours("engine/loop.py:_execute"))
CALL = (
    *SEARCH,
    ours("execution/local_executor.py:_perform"),
    ours("sut/clients/fast_client.py:_call"),
)
FLASK = Frame("Flask.wsgi_app", f"{LIBRARIES}/flask/app.py", 1)
VIEW = Frame("show", "/srv/shop/views.py", 3)
DUMPS = Frame("dumps", "/usr/lib/python3.11/json/__init__.py", 231)


@pytest.mark.parametrize(
    ("frames", "room"),
    [
        ((*CALL, FLASK), APPLICATION),
        ((*CALL, FLASK, VIEW, DUMPS), APPLICATION),
        ((*CALL, FLASK, VIEW, ours("instrument/probing/probes.py:note")), PROBES),
        ((*CALL, FLASK, VIEW, ours("instrument/distances/distance.py:of"), DUMPS), PROBES),
        ((*CALL, FLASK, VIEW, ours("instrument/transformation/calls.py:call"), VIEW), APPLICATION),
        ((*CALL, FLASK, VIEW, ours("sut/watching/recorded_reads.py:get")), WATCHING),
        ((*CALL, FLASK, ours("sut/watching/sqlite_connections.py:connect")), APPLICATION),
        ((*CALL, FLASK, ours("sut/shortcuts/verification_shortcuts.py:hurry")), APPLICATION),
        ((*CALL, FLASK, ours("sut/watching/side_effects.py:note_statement")), WATCHING),
        (
            (*SEARCH, Frame("run_wsgi_app", f"{LIBRARIES}/werkzeug/test.py", 1), FLASK),
            APPLICATION,
        ),
        (CALL, REQUESTS),
        ((*SEARCH, ours("sut/clients/client.py:send"), FLASK), REQUESTS),
        ((*SEARCH, ours("problem/http/exchanges/request.py:build_request")), REQUESTS),
        (
            (
                *SEARCH,
                ours("problem/http/exchanges/request.py:build_request"),
                ours("genes/text.py:value"),
            ),
            REQUESTS,
        ),
        (
            (
                *SEARCH,
                ours("execution/local_executor.py:_restore"),
                ours("sut/state/reset.py:restore"),
            ),
            RESET,
        ),
        ((*SEARCH, ours("execution/garbage.py:before_test")), GARBAGE),
        ((*SEARCH, ours("execution/process.py:restore_signals"), DUMPS), GUARDING),
        ((*SEARCH, ours("oracles/leaks.py:judge")), ORACLES),
        (
            (*SEARCH, ours("problem/http/http_problem.py:learn"), ours("genes/visit.py:walk")),
            LEARNING,
        ),
        (
            (*SEARCH, ours("search/mio.py:ask"), ours("problem/http/composing/mutation.py:mutate")),
            VARIATION,
        ),
        ((*SEARCH, ours("search/archive.py:offer")), ARCHIVE),
        (SEARCH, EXECUTION),
        ((ours("harvest/harvesting.py:specimens"),), MINIMISING),
        ((ours("harvest/harvesting.py:specimens"), *CALL[3:], FLASK), APPLICATION),
        ((ours("engine/preparing/preparation.py:prepared"), *CALL[3:], FLASK), APPLICATION),
        (
            (
                ours("engine/preparing/preparation.py:prepared"),
                ours("instrument/transformation/transform.py:block"),
            ),
            LOADING,
        ),
        ((ours("engine/writing.py:write_tests"), ours("write/suite.py:write")), WRITING),
        (
            (
                ours("engine/writing.py:write_tests"),
                ours("write/verification/verify.py:_run"),
                DUMPS,
            ),
            VERIFYING,
        ),
        ((ours("engine/loop.py:run"), ours("engine/selfcheck.py:remember")), LOOKING),
        ((Frame("<module>", "/venv/bin/pytest", 1),), OTHER),
    ],
)
def test_room_of_a_stack(frames: tuple[Frame, ...], room: str) -> None:
    assert room_of(frames) == room
    assert room in ORDER


def test_every_place_of_the_tables_exists() -> None:
    rows = (place for _name, place in (*PHASES, *ROOMS))
    for place in (*rows, *DOORS, *OPENINGS):
        target = PACKAGE / place.path
        assert target.exists(), place
        for function in place.functions:
            assert f"def {function}(" in target.read_text(encoding="utf-8"), place


def test_place_is_a_path_of_ours_and_perhaps_a_function() -> None:
    assert Place("sut/").holds(ours("sut/clients/fast_client.py:send"))
    assert not Place("sut/clients/fast_client.py", ("_call",)).holds(
        ours("sut/clients/fast_client.py:send")
    )
    assert not Place("app.py").holds(FLASK)


def test_samples_are_read_without_other_threads() -> None:
    text = (
        "<module> (/srv/run it.py:3);Archive.offer (/srv/archive.py:42) 7\n"
        "Thread._bootstrap (/usr/lib/python3.11/threading.py:995);wait (a.py:1) 9\n"
        "\n"
    )
    assert read_stacks(text) == [
        Stack(
            (Frame("<module>", "/srv/run it.py", 3), Frame("Archive.offer", "/srv/archive.py", 42)),
            7,
        )
    ]
    assert read_frame("process 12") == Frame("process 12", "")
    assert read_frame("f (<frozen importlib>)").is_standard


def test_shares_of_search_and_of_everything() -> None:
    shares = shares_of(
        [
            Stack((*CALL, FLASK), 3),
            Stack((ours("harvest/harvesting.py:specimens"), *CALL[3:], FLASK), 2),
            Stack((ours("write/verification/verify.py:_run"),), 5),
        ]
    )
    assert shares.total == 10
    assert shares.rooms == {APPLICATION: 5, VERIFYING: 5}
    assert shares.search == {APPLICATION: 3}
    assert shares.phases == {SEARCHING: 3, MINIMISING: 2, VERIFYING: 5}


def test_tables_and_document(tmp_path: Path) -> None:
    counts = {"shop": {APPLICATION: 1, PROBES: 2}, "news": {APPLICATION: 4}}
    rows = table(counts, ORDER)
    assert rows.splitlines()[2:] == [
        f"| {APPLICATION} | 33.3 | 100.0 |",
        f"| {PROBES} | 66.7 | - |",
    ]
    document = tmp_path / "profile.md"
    fill_in(document, rows)
    document.write_text(document.read_text() + "what a person wrote\n")
    fill_in(document, "new")
    assert "33.3" not in document.read_text()
    assert document.read_text().endswith("what a person wrote\n")


def test_flame_graph_is_xml_without_small_frames() -> None:
    rare = Frame("rare", "/srv/a.py", 1)
    stacks = search_stacks([Stack((*CALL, FLASK, VIEW), 999), Stack((*CALL, rare), 1)])
    graph = flame_graph("a <search>", stacks)
    titles = [
        element.text or ""
        for element in ElementTree.fromstring(graph).iter()
        if "title" in element.tag
    ]
    assert "show (shop/views.py) 99.9 %" in titles
    assert not any("rare" in title or "_search_beside" in title for title in titles)
    assert phase_of(stacks[0].frames) == SEARCHING


def test_a_flame_graph_bears_an_application_that_calls_itself_many_times() -> None:
    frames = tuple(Frame(f"function_{depth}", "shop/views.py") for depth in range(3_000))
    graph = flame_graph("deep", [Stack(frames, 1)])
    assert "function_10" in graph
    assert "function_2999" not in graph
