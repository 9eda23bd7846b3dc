from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_evosearch.settings.checked import build_settings
from pytest_evosearch.settings.pace import PYTEST_SECONDS
from pytest_evosearch.settings.pace import Pace
from pytest_evosearch.settings.pace import shortest_first_run
from pytest_evosearch.settings.time_plan import FEWEST_TESTS
from pytest_evosearch.settings.time_plan import LAST_GRACES
from pytest_evosearch.settings.time_plan import LEAST_GRACE_SECONDS
from pytest_evosearch.settings.time_plan import MINIMIZE_GRACE
from pytest_evosearch.settings.time_plan import SAMPLE_SHARE
from pytest_evosearch.settings.time_plan import SEARCH_FLOOR
from pytest_evosearch.settings.time_plan import VERIFY_SHARE
from pytest_evosearch.settings.time_plan import TimePlan
from pytest_evosearch.settings.time_plan import time_plan

FAST = Pace(ready=2.0, loading=1.0, set_up=0.01, execution=0.002, tests=50, processors=2)
SLOW = Pace(ready=9.0, loading=6.0, set_up=1.0, execution=0.3, tests=150, processors=2)


def plan_of(budget: str, *assignments: str) -> TimePlan:
    values: dict[str, object] = {"budget": budget, "set": list(assignments)}
    return time_plan(build_settings(values, rootdir=Path("/"), seed=1))


@pytest.mark.parametrize("pace", [FAST, SLOW])
@pytest.mark.parametrize("seconds", [20.0, 60.0, 300.0])
def test_a_timely_command_ends_soon_after_its_budget(pace: Pace, seconds: float) -> None:
    plan = TimePlan(seconds)

    assert plan.latest <= 1.25 * seconds + 10
    assert plan.end_of_search(pace) < plan.end_of_verifying < plan.latest
    assert plan.end_of_search(pace) + plan.finishing(pace) <= plan.latest + pace.ready


def test_the_search_of_a_fast_application_gets_most_of_the_budget() -> None:
    plan = TimePlan(60.0)

    assert plan.end_of_search(FAST) - FAST.ready > 0.6 * 60
    assert plan.end_of_search(FAST) + plan.finishing(FAST) == pytest.approx(60.0)


def test_a_search_that_no_questions_follow_gets_their_time() -> None:
    asking, silent = TimePlan(60.0), TimePlan(60.0, asks=False)

    gained = silent.end_of_search(FAST) - asking.end_of_search(FAST)

    assert gained == pytest.approx(asking.inquiring(FAST)) == pytest.approx(0.5)


def test_the_search_has_a_floor_whatever_the_rest_takes() -> None:
    plan = TimePlan(60.0)

    assert plan.end_of_search(SLOW) - SLOW.ready == pytest.approx(SEARCH_FLOOR * (60 - SLOW.ready))


@pytest.mark.parametrize(("ready", "seconds"), [(30.0, 10.5), (50.0, 6.0), (90.0, 6.0)])
def test_a_slow_start_leaves_time_to_finish_what_a_shorter_search_has_found(
    ready: float, seconds: float
) -> None:
    plan = TimePlan(60.0)
    late = replace(SLOW, ready=ready)

    assert plan.end_of_search(late) - ready == pytest.approx(seconds)


def test_a_suite_of_slow_tests_leaves_time_for_one_run_and_a_sample_of_others() -> None:
    plan = TimePlan(60.0)
    quick = replace(FAST, execution=0.02)
    slow = replace(FAST, loading=4.5, execution=0.06, tests=57, processors=1)
    run = slow.loading + slow.tests * slow.seconds_a_test

    assert plan.verifying(quick) > 2 * quick.tests * quick.seconds_a_test
    assert run + SAMPLE_SHARE * 60 < plan.verifying(slow) < run + SAMPLE_SHARE * 60 + 4
    assert plan.verifying(slow) < plan.verifying(SLOW) == VERIFY_SHARE * 60


def test_the_search_goes_on_for_longer_while_another_process_finishes_tests() -> None:
    plan = TimePlan(60.0)
    busy = replace(FAST, execution=0.03, tests=200)
    helped, slow = replace(busy, is_helped=True), replace(SLOW, is_helped=True)

    assert plan.end_of_search(busy) < plan.end_of_search(helped) < 0.6 * 60
    assert plan.end_of_search(slow) == plan.end_of_search(SLOW)  # all tests are run once more


def test_what_is_finished_beside_the_search_leaves_more_time_to_it() -> None:
    plan = TimePlan(60.0)
    none = replace(FAST, tests=40, set_up=0.05, execution=0.005)
    half = replace(none, shortened=20, proven=20)
    whole = replace(half, shortened=40, proven=40)
    more = replace(whole, shortened=90, proven=90)

    assert plan.finishing(whole) < plan.finishing(half) < plan.finishing(none)
    assert plan.finishing(more) == plan.finishing(whole)


def test_minimising_leaves_time_for_verifying_and_has_a_floor_itself() -> None:
    plan = TimePlan(60.0)

    end = plan.end_of_minimizing(plan.end_of_search(SLOW), SLOW)
    assert end + plan.verifying(SLOW) + plan.reporting <= plan.latest
    assert plan.end_of_minimizing(70.0, SLOW) > 70.0


def test_all_graces_of_minimising_leave_time_for_one_run_of_the_tests() -> None:
    plan, pace = TimePlan(60.0), replace(SLOW, loading=1.5, execution=0.04, set_up=0.0, tests=150)

    grace = plan.minimize_grace(25.0, pace)
    end = plan.end_of_minimizing(25.0, pace) + LAST_GRACES * grace
    run = pace.loading + pace.tests * pace.seconds_a_test
    assert 0 < grace < MINIMIZE_GRACE * 60
    assert end + run <= plan.end_of_verifying
    assert plan.minimize_grace(200.0, pace) == LEAST_GRACE_SECONDS
    assert TimePlan().minimize_grace(25.0, pace) == math.inf


def test_no_clock_decides_over_a_budget_of_evaluations() -> None:
    plan = plan_of("1000x")
    assert not plan.is_timely
    assert plan.inquiry_seconds == plan.end_of_verifying == math.inf
    assert math.isfinite(plan.finishing(SLOW))
    assert plan.description == "no clock decides: all tests in all circumstances"


def test_the_plan_of_a_minute_reads_as_one_line() -> None:
    assert plan_of("60s").description == (
        "60s in all, at most 79s: search at least 35% of what the start leaves, questions 4s, "
        "minimising up to 15s, verifying up to 24s, reports 3s"
    )


def test_the_first_run_may_be_late_by_a_part_of_the_budget_so_that_no_test_is_lost() -> None:
    plan = TimePlan(20.0)

    assert plan.least_of_verifying(FAST) == pytest.approx(4.0)
    assert plan.first_run_seconds(FAST) == pytest.approx(4.0 + 4 * 50 * (0.012 + 0.05))
    assert plan.first_run_seconds(SLOW) == pytest.approx(30.0)


def test_the_first_run_may_load_the_application_however_long_that_takes() -> None:
    slow = replace(SLOW, loading=40.0)

    assert TimePlan(20.0).least_of_verifying(slow) == pytest.approx(5.0)
    assert shortest_first_run(slow) == pytest.approx(60 + 1.35)


def test_a_command_writes_no_more_tests_than_it_can_run_in_time() -> None:
    plan = TimePlan(15.0)

    tests = plan.most_tests(8.0, FAST)
    assert 200 < tests < 1000
    assert tests * (FAST.seconds_a_test + PYTEST_SECONDS) < plan.latest - 8.0
    assert plan.most_tests(12.0, FAST) < tests
    assert plan.most_tests(30.0, FAST) == FEWEST_TESTS
    assert TimePlan().most_tests(8.0, FAST) == math.inf
