"""Starts pytest as ``python -m pytest`` does, and takes notes.

    python plain.py FOLDER ARGUMENTS...

Nothing is registered with pytest, and no function is replaced, so the tests run as they will for
the user. An audit hook (PEP 578) cannot be seen by the application. It notes what no other process
can know:

    FOLDER/steps     what each change of PYTEST_CURRENT_TEST says, which pytest sets for the set-up,
                     the call and the tear-down of each test: the last one says which test was
                     running when the process died
    FOLDER/journal   which files of the project tests were about to change (`preserving`); the
                     verifier restores them after the run
    created files    as in other runs (`traces`); a comparison of folders before and after would
                     remove files of other programs, too

Only one thing is refused: a signal to every process of the user. No other process could prevent it.

Verification runs execute a copy of this file, so it imports nothing from pytest-evosearch.
"""

from __future__ import annotations

import importlib
import os
import runpy
import sys
from collections.abc import Callable
from typing import Any

CURRENT_TEST = b"PYTEST_CURRENT_TEST"
STEPS = "steps"

_CALL = " (call)"

Hook = Callable[[str, tuple[Any, ...]], None]


class Steps:
    """Sees which test runs: pytest tells its environment."""

    def __init__(self, file: str, begin: Callable[[str], None], append: Callable[..., None]):
        self._file = file
        self._begin = begin
        self._append = append

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Note a step of a test; this is called for every audit event of the process."""
        if event == "os.unsetenv" and arguments[0] == CURRENT_TEST:
            self._begin("")
        if event == "os.putenv" and arguments[0] == CURRENT_TEST:
            step = os.fsdecode(arguments[1])
            self._append(self._file, os.fsencode(f"{step}\n"))
            self._begin(step.removesuffix(_CALL) if step.endswith(_CALL) else "")


def spare_everything(event: str, arguments: tuple[Any, ...]) -> None:
    """Refuse a signal to all processes; this is called for every audit event of the process."""
    if event == "os.kill" and arguments[0] == -1:
        raise PermissionError("this would signal every process of the user")


def watch(folder: str) -> None:
    """Take notes in `folder` from now on, with the modules beside this file."""
    sys.path.insert(0, os.path.dirname(__file__))  # noqa: PTH120 - nothing is imported for this
    names = ("evosearch_traces", "evosearch_preserving")  # the first one watches created files
    preserving: Any = [importlib.import_module(name) for name in names][1]
    del sys.path[0]
    for name in names:
        del sys.modules[name]
    copies = preserving.Copies(os.getcwd(), [folder, *preserving.folders_of_search()])  # noqa: PTH109

    def begin(test: str) -> None:
        copies.test = test

    if "EVOSEARCH_VERIFY_TRACES" in os.environ:  # otherwise new files would count as the project's
        sys.addaudithook(copies)
    sys.addaudithook(spare_everything)
    sys.addaudithook(Steps(f"{folder}{os.sep}{STEPS}", begin, preserving.append))


def run(arguments: list[str]) -> None:
    """Run pytest in this process, which has the search path of ``python -m pytest``."""
    if not getattr(sys.flags, "safe_path", False):
        sys.path[0] = os.getcwd()  # noqa: PTH109 - pathlib is not imported here
    sys.argv[1:] = arguments
    runpy.run_module("pytest", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    watch(sys.argv[1])
    run(sys.argv[2:])
