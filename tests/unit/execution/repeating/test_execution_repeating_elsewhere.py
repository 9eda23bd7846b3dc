from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

from pytest_evosearch.execution.repeating.elsewhere import DELAY
from pytest_evosearch.execution.repeating.elsewhere import MOST_DELAYS
from pytest_evosearch.execution.repeating.elsewhere import Elsewhere


def module_of(**names: object) -> ModuleType:
    module = ModuleType("shop")
    vars(module).update(names)
    return module


CLOCKS = ("monotonic", "perf_counter", "process_time", "thread_time")


@pytest.mark.parametrize("clock", [*CLOCKS, *(f"{name}_ns" for name in CLOCKS)])
def test_what_is_measured_takes_longer(clock: str) -> None:
    second = 1_000_000_000 if clock.endswith("_ns") else 1
    module = module_of(time=time, clock=getattr(time, clock))
    with Elsewhere().seen([module]):
        begun = getattr(vars(module)["time"], clock)()
        took = vars(module)["clock"]() - begun
    assert took >= DELAY * second * 0.99
    assert isinstance(begun, int) is clock.endswith("_ns")


def test_a_deadline_of_minutes_does_not_pass() -> None:
    module = module_of(time=time)
    with Elsewhere().seen([module]):
        looks = [vars(module)["time"].monotonic() for _ in range(1000)]
    assert looks == sorted(looks)
    assert looks[-1] - looks[0] < DELAY * MOST_DELAYS + 10


def test_the_clock_of_the_day_and_all_else_are_the_real_ones(monkeypatch) -> None:
    module = module_of(time=time, os=os, path=os.path)
    with Elsewhere().seen([module]):
        seen = vars(module)
        assert abs(seen["time"].time() - time.time()) < 10
        assert seen["os"].environ is os.environ
        assert seen["os"].path.join("a", "b") == str(Path("a", "b"))
        monkeypatch.setattr(os, "getlogin", lambda: "ann")
        assert seen["os"].getlogin() == "ann"
        seen["os"].is_marked = True
    assert vars(os).pop("is_marked")


def test_processors_and_ages_of_files_are_others(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    module = module_of(os=os, count=os.cpu_count, changed=os.path.getmtime)
    with Elsewhere().seen([module]):
        seen = vars(module)
        assert seen["os"].cpu_count() == seen["count"]() != os.cpu_count()
        assert seen["os"].path.getmtime(file) == seen["changed"](file) < file.stat().st_mtime


def test_the_module_is_afterwards_as_it_was() -> None:
    module = module_of(time=time, os=os, count=os.cpu_count, other=5)
    before = dict(vars(module))
    with Elsewhere().seen([module]):
        vars(module)["other"] = 6
        del vars(module)["count"]
    assert vars(module) == {name: before[name] for name in before if name != "count"} | {"other": 6}


def test_an_import_inside_of_a_function_gets_the_stand_in() -> None:
    with Elsewhere().seen([]):
        from time import perf_counter

        begun = perf_counter()
        assert perf_counter() - begun >= DELAY * 0.99
    assert sys.modules["time"] is time
