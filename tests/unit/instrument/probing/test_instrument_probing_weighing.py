"""What libraries compare joins the comparisons of the running test, when everything is heard."""

from __future__ import annotations

from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.instrument.probing.weighing import COLUMN
from pytest_evosearch.instrument.probing.weighing import PASSED

SOURCE = """\
def ask(check):
    return check()
"""


def test_comparison_is_told_with_the_line_that_asked_for_it(load_instrumented):
    subject = load_instrumented(SOURCE)
    scales = subject.recording.scales

    def library():
        scales.weigh("sent", "right")
        scales.weigh_with_column("sent", "code", "SELECT ...")
        scales.note_passed()

    subject.recording.begin(full=True)
    subject.recording.run(subject.module.ask, library)
    told = subject.recording.end().comparisons

    site = "weighed subject.py:2"
    assert [each for each in told if each.target.startswith("weighed")] == [
        Comparison(site, "==", "sent", "right"),
        Comparison(site, COLUMN, "sent", ("code", "SELECT ...")),
        Comparison(site, PASSED, None, None),
    ]


def test_nothing_is_told_unless_everything_is_heard(load_instrumented):
    subject = load_instrumented(SOURCE)
    scales = subject.recording.scales
    used: list[bool] = []

    def library():
        used.append(scales.in_use)
        scales.weigh("sent", "right")

    library()
    subject.recording.begin()
    subject.recording.run(subject.module.ask, library)
    trace = subject.recording.end()

    assert used == [False, False]
    assert not [each for each in trace.comparisons if each.target.startswith("weighed")]


def test_values_that_no_hint_may_hold_are_left_out(load_instrumented):
    subject = load_instrumented(SOURCE)
    subject.recording.begin(full=True)
    subject.recording.run(lambda: subject.recording.scales.weigh([1], "right"))
    assert not subject.recording.end().comparisons


def test_a_process_that_was_forked_hears_nothing(load_instrumented):
    subject = load_instrumented(SOURCE)
    subject.recording.begin(full=True)
    subject.recording.scales.rest()
    subject.recording.run(lambda: subject.recording.scales.weigh("sent", "right"))
    assert not subject.recording.end().comparisons
