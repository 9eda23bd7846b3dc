"""What runs of pytest wrote down is read, also where a process was ended while it wrote."""

from __future__ import annotations

from pytest_evosearch.write.verification.recorded_run import entries_of


def test_each_line_is_an_entry() -> None:
    assert entries_of('{"item": "a"}\n{"ended": "a"}\n') == [{"item": "a"}, {"ended": "a"}]


def test_what_follows_the_last_line_break_was_cut_off() -> None:
    assert entries_of('{"item": "a"}\n{"item": "b"}') == [{"item": "a"}]


def test_a_line_that_is_damaged_is_no_entry() -> None:
    assert entries_of('{"item": "a"}\nded": "a"}\n\n3\n{"ended": "b"}\n') == [
        {"item": "a"},
        {"ended": "b"},
    ]
