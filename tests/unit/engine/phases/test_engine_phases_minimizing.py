from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from pytest_evosearch.engine.phases.minimizing import minimizing_time
from pytest_evosearch.engine.timetable import Timetable
from pytest_evosearch.settings.phase_shares import HASTY_HARVEST_SECONDS
from pytest_evosearch.settings.time_plan import TimePlan


def test_minimising_ends_soon_after_the_user_asked_to_stop() -> None:
    moment, stop = [100.0], [None]
    found: Any = SimpleNamespace(
        is_interrupted=False,
        context=SimpleNamespace(
            timetable=Timetable(TimePlan(300.0), 0.0, clock=lambda: moment[0]),
            host=SimpleNamespace(stop_requested=lambda: stop[0]),
        ),
    )
    left = minimizing_time(found)
    usual = left()

    stop[:] = ["interrupted by Ctrl-C"]  # type: ignore[list-item]
    assert usual > HASTY_HARVEST_SECONDS == left()
    moment[0] += HASTY_HARVEST_SECONDS
    assert left() <= 0.0
