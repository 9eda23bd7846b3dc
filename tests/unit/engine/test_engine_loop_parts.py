from __future__ import annotations

from pytest_evosearch.core.events import Event
from pytest_evosearch.core.events import Notice
from pytest_evosearch.engine.loop_parts import PROGRESS_INTERVAL
from pytest_evosearch.engine.loop_parts import Announcements
from pytest_evosearch.engine.loop_parts import Ending


def test_why_the_host_wants_to_stop_is_remembered_only_while_it_does() -> None:
    wishes = iter([None, "interrupted by Ctrl-C"])
    ending = Ending(lambda: next(wishes))
    assert not ending.is_interrupted()
    assert ending.interruption is None
    assert ending.is_interrupted()
    assert ending.interruption == "interrupted by Ctrl-C"


def test_progress_is_due_at_once_and_then_now_and_then() -> None:
    announcements = Announcements(())
    assert announcements.is_due(0.0)
    announcements.announced_at = 1.0
    assert not announcements.is_due(1.0 + PROGRESS_INTERVAL / 2)
    assert announcements.is_due(1.0 + 2 * PROGRESS_INTERVAL)


def test_every_sink_gets_an_event() -> None:
    first: list[Event] = []
    second: list[Event] = []
    Announcements((first.append, second.append)).send(Notice("ready"))
    assert first == second == [Notice("ready")]
