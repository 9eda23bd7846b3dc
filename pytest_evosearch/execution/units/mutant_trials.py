"""Tries tests on changed copies of a module, in a process that is thrown away.

A copy replaces its module in `sys.modules`, and the units are called anew.  A change is detected
when a test ends, returns, prints or changes something else than with the unchanged copy.
"""

from __future__ import annotations

import math
import signal
import sys
from collections.abc import Callable
from collections.abc import Generator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from itertools import islice
from types import CodeType
from types import FrameType
from types import ModuleType

from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.core.isolation import time
from pytest_evosearch.errors import CutOff
from pytest_evosearch.execution.mutating.mutations import Mutants
from pytest_evosearch.execution.mutating.mutations import mutants_of
from pytest_evosearch.execution.units.calling import Calls
from pytest_evosearch.problem.units.results import Result
from pytest_evosearch.problem.units.unit import Unit

CHANGE_SECONDS = 0.5
"""Processor seconds for all tests of one change; more means a loop without end.

It is more where the tests themselves take long.  Other processes do not shorten the time, so a busy
machine changes no result.
"""

SLOW_SECONDS = 0.05
"""Processor seconds from which a test is not tried on changes."""

USUAL_TIMES = 4
"""How many times as long as usual the tests of a change may take."""

ENDLESS = -1
"""Stands for a change with which some test does not end: any run shows it, no assertion does."""

Sent = Sequence[tuple[str, Mapping[str, object]]]


def detected(
    module: str,
    source: str,
    numbers: Sequence[int],
    tests: Sequence[Sent],
    units: Mapping[str, Unit],
    end: float = math.inf,
) -> dict[int, int | None]:
    """Return change -> number of the first test that detects it, None where no test does.

    `ENDLESS` stands for a test that does not end.  After the moment `end` no change is tried.
    """
    every = detections(module, source, numbers, tests, units, end, most=1)
    return {number: found[0] if found else None for number, found in every.items()}


def detections(
    module: str,
    source: str,
    numbers: Sequence[int],
    tests: Sequence[Sent],
    units: Mapping[str, Unit],
    end: float = math.inf,
    most: int | None = None,
) -> dict[int, list[int]]:
    """Return change -> numbers of the tests that detect it, at most so many."""
    signal.signal(signal.SIGVTALRM, cut_off)
    original = sys.modules[module]
    packages = _packages_with(original)
    found: dict[int, list[int]] = {}
    try:
        mutants = mutants_of(source)
        if not _can_replace(original, mutants, packages):
            return {}
        began = time.process_time()
        usual = [_usual_outcome(test, units) for test in tests]
        seconds = max(CHANGE_SECONDS, USUAL_TIMES / 2 * (time.process_time() - began))
        for number in numbers:
            if monotonic() > end:
                break
            code = mutants.code(number, str(original.__file__))
            replacing = partial(_replace, original, code, packages)
            with closing(_detecting(replacing, tests, usual, units, seconds)) as detecting:
                found[number] = list(islice(detecting, most))
    finally:
        _put(original, packages)
    return found


def _packages_with(original: ModuleType) -> list[tuple[ModuleType, str]]:
    """Return the packages around a module that hold what it defines, with the names of that."""
    parts = original.__name__.split(".")
    around = [sys.modules.get(".".join(parts[:end])) for end in range(1, len(parts))]
    return [
        (package, name)
        for package in around
        if package is not None
        for name, value in list(vars(original).items())
        if not name.startswith("__") and vars(package).get(name) is value
    ]


def _can_replace(
    original: ModuleType, mutants: Mutants, packages: Sequence[tuple[ModuleType, str]]
) -> bool:
    """Replace a module by a copy; say whether it can be executed twice in one process."""
    try:
        _replace(original, mutants.code(None, str(original.__file__)), packages)
    except Exception:
        return False
    return True


def _usual_outcome(test: Sent, units: Mapping[str, Unit]) -> str:
    """Return the outcome without a change; empty for a slow test, and for one that varies."""
    began = time.process_time()
    outcome = outcome_of(test, units)
    if time.process_time() - began > SLOW_SECONDS:
        return ""
    return outcome if outcome_of(test, units) == outcome else ""


def _detecting(
    replacing: Callable[[], None],
    tests: Sequence[Sent],
    usual: Sequence[str],
    units: Mapping[str, Unit],
    seconds: float,
) -> Generator[int, None, None]:
    """Yield the tests with another outcome than usual."""
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, 0.1)
    try:
        replacing()
        for at, test in enumerate(tests):
            outcome = outcome_of(test, units)
            if outcome and usual[at] and outcome != usual[at]:
                yield at
    except (CutOff, Exception):  # it does not end, or the module cannot even be imported
        yield ENDLESS
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def cut_off(_signal: int, _frame: FrameType | None) -> None:
    """End a trial whose time is over."""
    raise CutOff


def _replace(
    original: ModuleType, code: CodeType, packages: Sequence[tuple[ModuleType, str]]
) -> None:
    copy = ModuleType(original.__name__)
    known = vars(original)
    for name in ("__file__", "__package__", "__path__", "__loader__", "__spec__"):
        if name in known:
            vars(copy)[name] = known[name]
    sys.modules[original.__name__] = copy
    exec(code, vars(copy))
    _put(copy, packages)


def _put(module: ModuleType, packages: Sequence[tuple[ModuleType, str]]) -> None:
    """Let a module be found by its name, and what it defines in the packages around it."""
    sys.modules[module.__name__] = module
    for package, name in packages:
        if name in vars(module):
            vars(package)[name] = vars(module)[name]


def outcome_of(test: Sent, units: Mapping[str, Unit]) -> str:
    """Return what the last call does, which is what a test asserts; empty where it is not made."""
    results = Calls(units, lambda _file: None, tells=True).perform(test)
    if any(result.end.value == "cut off" for result in results):
        raise CutOff
    return repr(_shown(results[-1])) if len(results) == len(test) else ""


def _shown(result: Result) -> tuple[object, ...]:
    raised = result.raised
    error = (raised.kind, raised.message) if raised is not None else None
    ended = result.end, result.value, error, result.changed, result.printed
    return *ended, result.passed, result.alike
