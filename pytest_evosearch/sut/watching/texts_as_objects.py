"""Sees a text of a JSON body that a handler takes for an object, even if it catches the error.

    message = data["message"]       a text was sent
    message["chat"]                 TypeError: string indices must be integers

An application may answer each exception alike (``except Exception``), and then no response tells
what the body lacks.  Python calls a trace function where an exception is raised.  It is set only
while the handler of a recorded call has a document with texts, and never beside another one.
"""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from pytest_evosearch.core.exception_texts import NO_OBJECT

SOME_MEMBER = "a"
"""Name of a member, until one is known."""

_INSTALLED = tuple(
    str(Path(place).resolve())
    for place in (
        *map(sysconfig.get_path, ("stdlib", "platstdlib", "purelib", "platlib")),
        str(Path(__file__).parents[2]),
    )
)
"""Folders of the standard library, of installed packages, and of this plugin."""


def has_text(document: object) -> bool:
    """Say whether a JSON document has a text inside an object or array."""
    if isinstance(document, dict):
        inside = list(dict.values(document))
    elif isinstance(document, list):
        inside = list(list.__iter__(document))
    else:
        return False
    return any(isinstance(one, str) or has_text(one) for one in inside)


class TextsAsObjects:
    """Calls `note` for each exception of the application that says so."""

    def __init__(self, note: Callable[[], object]) -> None:
        self._note = note
        self._own: dict[str, bool] = {}
        self._is_on = False

    def begin(self) -> None:
        """Watch the running functions of the application, and those that they call."""
        if self._is_on or sys.gettrace() is not None:
            return  # a debugger, or a measurement of coverage
        self._is_on = True
        sys.settrace(self._called)
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if self._is_own(frame):
                self._watch(frame)
            frame = frame.f_back

    def end(self) -> None:
        """Watch no more."""
        if self._is_on:
            self._is_on = False
            if sys.gettrace() == self._called:
                sys.settrace(None)

    def _called(self, frame: FrameType, _event: str, _argument: Any) -> Any:
        return self._watch(frame) if self._is_own(frame) else None

    def _watch(self, frame: FrameType) -> Any:
        frame.f_trace_lines = False
        frame.f_trace = self._happened
        return self._happened

    def _happened(self, _frame: FrameType, event: str, argument: Any) -> Any:
        is_misuse = event == "exception" and argument[0] in (TypeError, AttributeError)
        said = NO_OBJECT.match(str(argument[1])) if is_misuse else None
        if said is not None and said[1] != "int":
            self._note()
        return self._happened

    def _is_own(self, frame: FrameType) -> bool:
        file = frame.f_code.co_filename
        known = self._own.get(file)
        if known is None:
            known = self._own[file] = not file.startswith((*_INSTALLED, "<"))
        return known
