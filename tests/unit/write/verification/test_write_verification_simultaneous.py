from __future__ import annotations

import threading
from functools import partial
from pathlib import Path

import pytest

from pytest_evosearch.core.isolation import time
from pytest_evosearch.write.verification import simultaneous
from pytest_evosearch.write.verification.pytest_process import PytestProcess
from pytest_evosearch.write.verification.simultaneous import MOST
from pytest_evosearch.write.verification.simultaneous import processors
from pytest_evosearch.write.verification.simultaneous import run_at_once


def end_nothing() -> None:
    """Have nothing to end."""


def test_results_come_in_the_order_of_the_tasks() -> None:
    met = threading.Barrier(2, timeout=30)

    def first() -> str:
        met.wait()
        time.sleep(0.01)
        return "first"

    def second() -> str:
        met.wait()
        return "second"

    assert run_at_once([first, second], 2, end_nothing) == ["first", "second"]


def test_one_processor_runs_one_after_the_other() -> None:
    here = threading.get_ident()

    assert run_at_once([threading.get_ident] * 3, 1, end_nothing) == [here] * 3


def test_interruption_ends_what_runs_and_drops_the_rest(tmp_path: Path) -> None:
    process = PytestProcess(tmp_path)
    dropped: list[str] = []

    def sleep() -> tuple[int | None, str]:
        return process.run(["-c", "import time; time.sleep(60)"], 60.0)

    def interrupt() -> tuple[int | None, str]:
        while not process._running:
            time.sleep(0.01)
        raise KeyboardInterrupt

    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run_at_once(
            [interrupt, sleep, *[lambda: dropped.append("run") or (0, "")] * 3],
            2,
            process.end_all,
        )

    assert time.monotonic() - started < 30


def test_long_runs_are_told_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simultaneous, "SILENT_SECONDS", 0.01)
    told = threading.Event()

    assert run_at_once([partial(told.wait, 60)], 2, end_nothing, told.set) == [True]


def test_at_least_one_processor() -> None:
    assert processors() >= 1


@pytest.mark.parametrize(
    ("quota", "most"),
    [("100000 100000", 1), ("150000 100000", 2), ("50000 100000", 1), ("max 100000", MOST)],
)
def test_a_container_may_have_fewer_processors_than_its_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quota: str, most: int
) -> None:
    monkeypatch.setattr(simultaneous, "_present", lambda: 16)
    monkeypatch.setattr(simultaneous, "QUOTA", tmp_path / "cpu.max")
    assert processors() == MOST

    (tmp_path / "cpu.max").write_text(f"{quota}\n")
    assert processors() == most
