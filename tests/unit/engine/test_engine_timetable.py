from __future__ import annotations

import math

import pytest

from pytest_evosearch.engine.timetable import HELD_SHARE
from pytest_evosearch.engine.timetable import MOST_SHOWN
from pytest_evosearch.engine.timetable import Timetable
from pytest_evosearch.engine.timetable import measuring_seconds
from pytest_evosearch.engine.timetable import written_tests
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.search.archive import Archive
from pytest_evosearch.settings.phase_shares import WRITTEN_SHARE
from pytest_evosearch.settings.time_plan import TimePlan


class Hands:
    """A clock whose hands a test turns."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def started(plan: TimePlan, seconds: float = 0.01) -> tuple[Timetable, Hands]:
    hands = Hands()
    timetable = Timetable(plan, hands.now, hands)
    hands.now += 4.0
    timetable.note(loading=2.0, set_up=0.5, processors=2)
    timetable.usual_seconds = lambda: seconds
    timetable.begin_search()
    return timetable, hands


def test_the_search_ends_sooner_where_its_tests_are_slow_to_verify() -> None:
    shares = {}
    for tests in (5, 100):
        timetable, hands = started(TimePlan(60.0))
        timetable.count_tests = lambda tests=tests: tests  # type: ignore[misc]
        hands.now += 15.0
        shares[tests] = timetable.search_share()

    assert 0.2 < shares[5] < 0.5
    assert shares[5] < shares[100] < 1.0


def test_what_came_before_the_search_is_time_of_the_command() -> None:
    timetable, hands = started(TimePlan(60.0))
    hands.now += 40.0

    assert timetable.now == 44.0
    assert timetable.search_share() < 1.0
    hands.now += 12.0
    assert timetable.search_share() > 1.0


def test_the_share_agrees_with_what_is_left_and_is_never_all_of_the_command() -> None:
    timetable, hands = started(TimePlan(60.0))
    shown = []
    for tests in (10, 200, 20):
        timetable.count_tests = lambda tests=tests: tests  # type: ignore[misc]
        hands.now += 10.0
        share, left = timetable.forecast(timetable.search_share())
        assert left is not None
        shown.append(share)
    assert shown == sorted(shown)
    for phase in ("inquire", "minimize", "write", "measure"):
        timetable.predict_end(phase)
        shown.append(timetable.share)
        present = timetable.now / (timetable.now + timetable.left)
        assert abs(timetable.share - present) <= HELD_SHARE
        hands.now += 100.0
        shown.append(timetable.share)

    assert shown[2] < 0.8
    assert max(shown) <= MOST_SHOWN < 1


def test_the_share_goes_back_only_where_far_more_is_left() -> None:
    timetable, hands = started(TimePlan())
    hands.now += 100.0
    timetable.note(tests=1)
    timetable.predict_end("write")
    before = timetable.share
    timetable.note(tests=3)
    timetable.predict_end("write")
    assert timetable.share == before  # a few seconds more
    timetable.note(tests=20_000)
    timetable.predict_end("write")
    assert timetable.left > 60.0
    assert timetable.share < before - HELD_SHARE


def test_what_is_left_of_the_command_is_told_where_nothing_limits_it() -> None:
    timetable, hands = started(TimePlan(), 0.2)
    timetable.count_tests = lambda: 20
    assert timetable.forecast(0.0)[1] is None

    hands.now += 10.0
    share, left = timetable.forecast(0.5)

    assert left is not None
    assert 10.0 < left < 300.0
    assert share == pytest.approx(14.0 / (14.0 + left))
    assert timetable.verifying()() == math.inf


def test_slow_tests_are_foreseen_to_be_verified_until_the_latest_end() -> None:
    plan = TimePlan(60.0)
    timetable, hands = started(plan, 0.2)
    timetable.note(set_up=1.0)
    timetable.count_tests = lambda: 200
    hands.now += 10.0

    _share, left = timetable.forecast(0.5)
    assert left == pytest.approx(plan.latest - 14.0)

    hands.now += 40.0
    timetable.predict_end("write")
    assert timetable.left == pytest.approx(plan.latest - 54.0)


def test_verification_has_time_until_shortly_before_the_end() -> None:
    timetable, hands = started(TimePlan(60.0))
    left = timetable.verifying()

    assert left() == TimePlan(60.0).end_of_verifying - 4.0
    hands.now += 100.0
    assert left() < 0


def test_what_only_guides_a_search_is_no_test_that_will_be_written() -> None:
    archive: Archive[str] = Archive()
    covers = {
        "first": {"branch shop.py:3 true": 1.0, "statement shop.py:9 a": 1.0},
        "second": {"predicate shop.py:9 a": 1.0},
        "third": {"line shop.py:4": 1.0},
    }
    for individual, scores in covers.items():
        archive.offer(Evaluation(individual, scores, (1, 1), None))

    assert written_tests(archive) == round(WRITTEN_SHARE * 2)


def test_no_run_of_the_tests_goes_on_beyond_what_was_promised() -> None:
    timetable, hands = started(TimePlan(30.0))
    timetable.note(loading=6.0, set_up=5.0, tests=8)
    hands.now += 16.0

    promised = 1.25 * 30 + 10
    assert timetable.now + timetable.first_run_seconds + 5.0 < promised
    assert measuring_seconds(timetable) == 0.0

    timetable.note(tests=1)
    assert timetable.now + measuring_seconds(timetable) < promised
    hands.now += 12.0
    assert measuring_seconds(timetable) > 0.0
    hands.now += 12.0
    assert measuring_seconds(timetable) == 0.0


def test_slower_executions_while_tests_are_minimised_move_the_end_of_the_command() -> None:
    timetable, hands = started(TimePlan(60.0), seconds=0.005)
    timetable.note(tests=50, set_up=0.0)
    hands.now += 30.0
    timetable.predict_end("minimize")
    before = timetable.left

    timetable.usual_seconds = lambda: 0.02
    timetable.predict_end("minimize", 0.0)
    busy = timetable.left
    timetable.predict_end("minimize", 0.5)

    assert timetable.pace.execution == 0.02
    assert before < timetable.left < busy
