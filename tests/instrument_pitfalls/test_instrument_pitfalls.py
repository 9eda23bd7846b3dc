"""Each pitfall: value, exception, traceback lines and side effects as in the plain module."""

from __future__ import annotations

import importlib
import importlib.util
import linecache
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from pitfall_cases import C as CASES
from pitfall_cases_added import C as ADDED_CASES

from pytest_evosearch.instrument import Recording
from pytest_evosearch.instrument import install

ALL_CASES = [*CASES, *ADDED_CASES]
# The slots of the probes are attribute names of the code, which getclosurevars lists as unbound.
KNOWN_DIFFERENCES = {"inspect.getclosurevars": (1, 2, 3), "co_names untouched": (3,)}
MODES_AND_LEVELS = [("delta", 1), ("delta", 2), ("delta", 3), ("full", 3), ("respecialized", 3)]
UNAVAILABLE = {
    name for name in ("numpy", "sqlalchemy", "flask") if importlib.util.find_spec(name) is None
}


def load(name: str) -> ModuleType:
    sys.modules.pop(name, None)
    importlib.invalidate_caches()
    return importlib.import_module(name)


def outcome_of(module: ModuleType, expression: str) -> tuple[object, ...]:
    try:
        value = eval(expression, vars(module))
    except Exception as error:
        own = [
            frame.lineno
            for frame in traceback.extract_tb(error.__traceback__)
            if frame.filename == module.__file__
        ]
        return ("raised", type(error).__name__, str(error), own, repr(vars(module).get("log")))
    return ("returned", repr(value), repr(vars(module).get("log")))


def begin_again(recording: Recording) -> None:
    recording.end()
    recording.begin()


def respecialize(recording: Recording) -> None:
    covered = [target for target, score in recording.end().scores.items() if score == 1.0]
    recording.retire(covered)
    recording.respecialize()
    recording.begin()


def attempt(
    name: str, expression: str, between: Callable[[], None] = lambda: None
) -> tuple[object, ...]:
    try:
        module = load(name)
    except Exception as error:
        return ("import failed", type(error).__name__, str(error))
    finally:
        linecache.clearcache()
    try:
        first = outcome_of(module, expression)
        between()
        return (*first, *outcome_of(module, expression))
    finally:
        sys.modules.pop(name, None)


def compiles(source: str) -> bool:
    try:
        compile(source, "pitfall", "exec")
    except SyntaxError:
        return False
    return True


@pytest.fixture
def plain_and_instrumented(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str, str, str, int], tuple[object, object]]:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def compare(source: str, expression: str, mode: str, level: int) -> tuple[object, object]:
        (tmp_path / "pitfall_module.py").write_text(source, encoding="utf-8")
        plain = attempt("pitfall_module", expression)
        with install(["pitfall_module"], level=level) as recording:
            recording.begin(full=mode == "full")
            between = respecialize if mode == "respecialized" else begin_again
            instrumented = attempt("pitfall_module", expression, lambda: between(recording))
            recording.end()
            assert recording.notices == []
        return plain, instrumented

    return compare


@pytest.mark.parametrize(("mode", "level"), MODES_AND_LEVELS)
@pytest.mark.parametrize(
    ("source", "expression", "oldest", "differs_at"),
    [
        pytest.param(*case[1:], KNOWN_DIFFERENCES.get(case[0], ()), id=case[0].replace(" ", "-"))
        for case in ALL_CASES
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_behaves_as_plain(
    source: str,
    expression: str,
    oldest: tuple[int, int],
    differs_at: tuple[int, ...],
    mode: str,
    level: int,
    plain_and_instrumented: Callable[[str, str, str, int], tuple[object, object]],
) -> None:
    if sys.version_info < oldest and not compiles(source):
        pytest.skip(f"needs Python {oldest}")
    for name in sorted(UNAVAILABLE):
        if name in source:
            pytest.skip(f"needs {name}")

    plain, instrumented = plain_and_instrumented(source, expression, mode, level)

    assert (instrumented == plain) is (level not in differs_at), (instrumented, plain)
