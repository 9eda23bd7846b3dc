from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

import pytest

from pytest_evosearch.bridge.capture import CaptureMute
from pytest_evosearch.bridge.capture import Voice
from pytest_evosearch.bridge.terminal import TerminalSink
from pytest_evosearch.core.events import Discovered
from pytest_evosearch.core.events import FaultFound
from pytest_evosearch.core.events import Notice
from pytest_evosearch.core.events import PhaseProgressed
from pytest_evosearch.core.events import PhaseStarted
from pytest_evosearch.core.events import Progress


class Reporter:
    def __init__(self, isatty: bool) -> None:
        self.isatty = isatty
        self.lines: list[str] = []
        self.rewritten: list[str] = []

    def write_line(self, line: str) -> None:
        self.lines.append(line)

    def flush(self) -> None:
        """Nothing is held back."""

    def rewrite(self, line: str, erase: bool = False) -> None:
        self.rewritten.append(line)


class Manager:
    """Pretends to be pytest's capture plugin."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def resume_global_capture(self) -> None:
        self.calls.append("resume")

    def suspend_global_capture(self) -> None:
        self.calls.append("suspend")

    def read_global_capture(self) -> None:
        self.calls.append("read")
        raise ValueError("I/O operation on closed file")


@pytest.fixture(autouse=True)
def _outside_of_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)


def sink_for(reporter: Reporter | None, verbosity: int = 0, plan: bool = False) -> TerminalSink:
    return TerminalSink(reporter, Voice(CaptureMute(Manager())), verbosity, plan)


def progress(share: float, elapsed: float) -> Progress:
    return Progress(share, round(share * 100), elapsed, 1, 2, 3, 0)


def search(sink: TerminalSink) -> None:
    for step in range(1001):
        sink(progress(step / 1000, step / 100))


def test_pipes_get_one_line_for_each_tenth() -> None:
    reporter = Reporter(isatty=False)
    search(sink_for(reporter))
    assert len(reporter.lines) == 11
    assert reporter.rewritten == []


def test_terminals_get_a_line_that_is_rewritten_now_and_then() -> None:
    reporter = Reporter(isatty=True)
    search(sink_for(reporter))
    assert reporter.lines == []
    assert 45 <= len(reporter.rewritten) <= 55


def test_continuous_integration_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    reporter = Reporter(isatty=True)
    search(sink_for(reporter))
    assert len(reporter.lines) == 11


def test_rewritten_line_makes_room_for_others() -> None:
    reporter = Reporter(isatty=True)
    sink = sink_for(reporter)
    sink(progress(0.1, 1.0))
    sink(Notice("something"))
    assert reporter.rewritten[-1] == ""
    assert reporter.lines == ["evosearch: something"]
    sink(progress(0.2, 2.0))
    sink.finish()
    assert reporter.rewritten[-1] == ""
    sink.finish()
    assert reporter.rewritten[1:3] == ["", ""]
    assert len(reporter.rewritten) == 6


def events() -> Iterator[object]:
    yield Notice("a")
    yield Discovered({"app": "b"})
    yield PhaseStarted("search")
    yield PhaseStarted("minimize")
    yield FaultFound("GET /", "KeyError", "shop.py:7", "'x'\nmore")


@pytest.mark.parametrize(
    ("verbosity", "expected"),
    [
        (-1, []),
        (0, ["evosearch: a", "evosearch: app      b", "evosearch: minimising the tests"]),
        (
            1,
            [
                "evosearch: a",
                "evosearch: app      b",
                "evosearch: minimising the tests",
                "evosearch: fault GET / KeyError shop.py:7 'x'",
            ],
        ),
    ],
)
def test_verbosity_decides_what_is_seen(verbosity: int, expected: list[str]) -> None:
    reporter = Reporter(isatty=False)
    sink = sink_for(reporter, verbosity)
    for event in events():
        sink(event)  # type: ignore[arg-type]
    assert reporter.lines == expected


def at(monkeypatch: pytest.MonkeyPatch, moments: Iterator[float]) -> None:
    monkeypatch.setattr("pytest_evosearch.bridge.terminal.monotonic", lambda: next(moments))


def test_a_phase_after_the_search_is_rewritten_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at(monkeypatch, count(0.0, 0.3))
    reporter = Reporter(isatty=True)
    sink = sink_for(reporter)
    sink(PhaseStarted("inquire"))
    sink(Progress(1.0, 500, 10.0, 1, 2, 3, 1))
    sink(PhaseStarted("minimize"))
    sink(PhaseProgressed("3 of 38"))
    assert reporter.lines == []
    assert reporter.rewritten == [
        "evosearch: running targeted fault checks",
        "evosearch: running targeted fault checks (1 fault)",
        "evosearch: minimising the tests",
        "evosearch: minimising the tests (3 of 38)",
    ]


def test_a_log_hears_of_a_long_phase_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, count(0.0, 1.0))
    reporter = Reporter(isatty=False)
    sink = sink_for(reporter)
    sink(PhaseStarted("write"))
    for number in range(65):
        sink(PhaseProgressed(f"run {number}"))
    assert len(reporter.lines) == 3
    assert reporter.lines[0] == "evosearch: writing and verifying the tests"
    assert reporter.lines[1].startswith("evosearch: writing and verifying the tests (run 2")


def test_phases_are_silent_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    for isatty in (False, True):
        reporter = Reporter(isatty)
        sink = sink_for(reporter, -1)
        at(monkeypatch, count(0.0, 100.0))
        sink(PhaseStarted("write"))
        sink(PhaseProgressed("a"))
        assert reporter.lines == reporter.rewritten == []


def test_plan_is_always_seen() -> None:
    reporter = Reporter(isatty=False)
    sink_for(reporter, -2, plan=True)(Discovered({"app": "b"}))
    assert reporter.lines == ["evosearch: app      b"]


def test_nothing_breaks_without_a_reporter() -> None:
    sink = sink_for(None)
    for event in events():
        sink(event)  # type: ignore[arg-type]
    search(sink)
    sink.finish()


def test_quiet_and_speech_may_be_nested() -> None:
    manager = Manager()
    voice = Voice(CaptureMute(manager))
    with voice.speak():
        assert manager.calls == []
    with voice.quiet(), voice.quiet():
        assert manager.calls == ["resume"]
        with voice.speak():
            assert manager.calls == ["resume", "suspend"]
        assert manager.calls == ["resume", "suspend", "resume"]
    assert manager.calls == ["resume", "suspend", "resume", "suspend", "read"]


def test_quiet_ends_also_after_an_exception() -> None:
    manager = Manager()
    with pytest.raises(KeyError), _raising(Voice(CaptureMute(manager))):
        pass
    assert manager.calls == ["resume", "suspend", "read"]


@contextmanager
def _raising(voice: Voice) -> Iterator[None]:
    with voice.quiet():
        yield
        raise KeyError("x")


def test_rewritten_line_never_wraps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    reporter = Reporter(isatty=True)
    sink_for(reporter)(progress(0.1, 1.0))
    assert [len(line) for line in reporter.rewritten] == [39]
