from __future__ import annotations

from types import SimpleNamespace

from benchmarks.trial import _goal_watch


def test_a_goal_is_seen_after_other_targets_were_forgotten() -> None:
    covered: dict[str, object] = {"line a": None, "line b": None}
    loop = SimpleNamespace(archive=SimpleNamespace(covered=covered))
    reached = _goal_watch(loop, lambda target: target == "line goal")
    assert reached() is None
    del covered["line a"]
    covered["line goal"] = None
    assert reached() == "the goal is covered"


def test_a_goal_is_told_each_time_it_is_asked_for() -> None:
    loop = SimpleNamespace(archive=SimpleNamespace(covered={"line goal": None}))
    reached = _goal_watch(loop, lambda target: target == "line goal")
    assert [reached(), reached()] == ["the goal is covered"] * 2
