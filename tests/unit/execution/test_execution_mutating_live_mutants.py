"""Changes of functions that exist, put back after each trial."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from pytest_evosearch.core.targets import line_target
from pytest_evosearch.execution.mutating.live_mutants import LiveMutants
from pytest_evosearch.execution.mutating.live_mutants import LoadedSource

SOURCE = '''from __future__ import annotations


def decorated(function):
    return lambda *values: function(*values)


@decorated
def total(
    price: Unknown,
    number,
):
    """Return a price."""
    if number > 3:
        return price * number - 1
    return sorted([price, number], key=lambda one: -one)


def make():
    def inner(value):
        return value + 1

    return inner


def wait(left):
    while left > 0:
        left -= 1
    return left
'''


@pytest.fixture
def shop(tmp_path: Path) -> ModuleType:
    module = ModuleType("shop")
    exec(compile(SOURCE, str(tmp_path / "shop.py"), "exec"), module.__dict__)
    return module


def results_of(shop: ModuleType, filename: str, line: int) -> list[object]:
    """Return what functions return with each change of one statement."""
    inner = shop.make()
    mutants = LiveMutants([LoadedSource("shop.py", filename, SOURCE)])
    found = []
    for mutant in mutants.all():
        running = mutants.running(mutant)
        if mutant.target == line_target("shop.py", line) and running is not None:
            with running:
                found.append((shop.total(2, 4), shop.total(2, 3), inner(1)))
    return found


@pytest.mark.parametrize(
    ("line", "result"),
    [
        (14, (7, 5, 2)),  # >= 3
        (15, (9, [3, 2], 2)),  # + 1
        (16, (7, [2, 3], 2)),  # key=lambda one: +one, in a function that is made each time
        (21, (7, [3, 2], 0)),  # value - 1, in a function that exists
    ],
)
def test_each_change_of_a_statement_runs_for_a_while(
    shop: ModuleType, tmp_path: Path, line: int, result: object
) -> None:
    filename = str(tmp_path / "shop.py")

    assert result in results_of(shop, filename, line)
    assert shop.total(2, 4) == 7
    assert shop.total(2, 3) == [3, 2]


def test_a_call_whose_result_nothing_uses_is_left_out(tmp_path: Path) -> None:
    source = "def note(log):\n    log.append(1)\n    return log\n"
    module = ModuleType("notes")
    filename = str(tmp_path / "notes.py")
    exec(compile(source, filename, "exec"), module.__dict__)
    mutants = LiveMutants([LoadedSource("notes.py", filename, source)])
    found = []

    for mutant in mutants.all():
        running = mutants.running(mutant)
        if running is not None:
            with running:
                found.append(module.note([]))

    assert [] in found
    assert module.note([]) == [1]


def test_loops_and_docstrings_stay_as_they_are(tmp_path: Path) -> None:
    source = LoadedSource("shop.py", str(tmp_path / "shop.py"), SOURCE)

    lines = {int(one.target.rpartition(":")[2]) for one in LiveMutants([source]).all()}

    assert lines.isdisjoint({13, *range(27, 29)})


def test_code_that_nothing_runs_is_not_changed(tmp_path: Path) -> None:
    mutants = LiveMutants([LoadedSource("shop.py", str(tmp_path / "absent.py"), SOURCE)])

    assert {mutants.running(one) for one in mutants.all()} == {None}
