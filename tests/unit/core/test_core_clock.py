"""Clocks that no application can set."""

from __future__ import annotations

from pathlib import Path

from pytest_evosearch.core.clock import seconds_without_processor


def test_linux_says_how_long_a_thread_waited_for_a_processor(tmp_path: Path) -> None:
    scheduled = tmp_path / "schedstat"
    scheduled.write_text("9000000000 2500000000 77\n")

    assert seconds_without_processor(scheduled) == 2.5


def test_other_systems_do_not_say_it(tmp_path: Path) -> None:
    assert seconds_without_processor(tmp_path / "schedstat") == 0.0
