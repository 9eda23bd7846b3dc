from __future__ import annotations

from benchmarks.interruptions import ENDED
from benchmarks.interruptions import Interruption
from benchmarks.interruptions import table


def test_each_way_has_a_row_and_what_was_left_is_counted_by_runs() -> None:
    seen = [
        Interruption("rows", "SIGKILL", "searching", []),
        Interruption("files", "SIGKILL", "searching", ["changed: config.txt", "new: x"]),
        Interruption("rows", "SIGTERM", ENDED, []),
    ]
    assert table(seen).splitlines() == [
        "| way | runs | interrupted while | left something |",
        "|---|--:|---|--:|",
        "| SIGKILL | 2 | searching 2 | 1 |",
        "| SIGTERM | 1 | ended already 1 | 0 |",
        "| all | 3 | ended already 1, searching 2 | 1 |",
    ]
