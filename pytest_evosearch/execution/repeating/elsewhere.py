"""Shows the application's own code another machine: one that is slower, with other processors.

A handler may measure how long something takes, and respond differently above a limit. A repetition
on an idle machine does not show that. So clocks that only measure (`time.perf_counter`,
`time.monotonic` and so on) run ahead here at each reading. The clock that tells the date is not
among them: `execution.repetitions` moves it.

The number of processors and the times of file changes belong to this machine and this copy of the
project, so they differ here, too.

Modules of the application find replacements under the names of the modules and functions that they
imported. Libraries keep the real ones, unless they import `time` inside a function meanwhile.
"""

from __future__ import annotations

import os as application_os
import sys
import time as application_time
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any

DELAY = 0.1
"""Seconds by which a measuring clock runs ahead at each reading, like a delay on a busy machine."""

MOST_DELAYS = 10
"""Readings in one test after which the clock runs normally: no deadline of minutes passes."""

AGE = 4_000_000
"""Seconds by which files look older: a realistic time until a project is copied again."""

MORE_PROCESSORS = 3


_FILE_TIMES = ("getmtime", "getctime")


class _Foreign(ModuleType):
    """A module of the standard library with some functions replaced.

    All other names are looked up in the real module at each use, because replacements change there.
    """

    def __init__(self, real: ModuleType, functions: Mapping[str, object]) -> None:
        super().__init__(real.__name__)
        vars(self).update(functions, _real=real)

    def __getattr__(self, name: str) -> Any:
        return getattr(vars(self)["_real"], name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(vars(self)["_real"], name, value)


def _measures(name: str) -> bool:
    """Say whether a function of `time` measures: those exist in nanoseconds, too."""
    plain = name.removesuffix("_ns")
    is_twin = hasattr(application_time, plain) and hasattr(application_time, f"{plain}_ns")
    return is_twin and plain != "time" and not plain.startswith("clock_")


class Elsewhere:
    """Replacements, for modules of the application, of functions that differ between machines."""

    def __init__(self) -> None:
        self._looks = 0
        clocks = [name for name in dir(application_time) if _measures(name)]
        times = {name: self._late(getattr(application_time, name), name) for name in clocks}
        path = application_os.path
        ages = {name: _older(getattr(path, name)) for name in _FILE_TIMES}
        count = _more(application_os.cpu_count)
        foreign_path = _Foreign(path, ages)
        systems = {"cpu_count": count, "path": foreign_path}
        self._stand_ins: dict[int, tuple[object, object]] = {}
        """Identity of the original -> the original, which is kept alive, and its replacement."""
        self._known: dict[int, tuple[dict[str, object], int, Sequence[str]]] = {}
        """Identity of a module's names -> these, their number, and those with a replacement."""
        for module, functions in ((application_time, times), (path, ages)):
            for name, function in functions.items():
                self._stand_for(getattr(module, name), function)
        self._stand_for(application_os.cpu_count, count)
        self._time = _Foreign(application_time, times)
        self._stand_for(application_time, self._time)
        self._stand_for(application_os, _Foreign(application_os, systems))
        self._stand_for(path, foreign_path)

    def _stand_for(self, original: object, stand_in: object) -> None:
        self._stand_ins[id(original)] = original, stand_in

    def _late(self, clock: Callable[[], Any], name: str) -> Callable[[], Any]:
        unit = 1_000_000_000 if name.endswith("_ns") else 1

        def read() -> Any:
            self._looks += 1
            delay = DELAY * min(self._looks, MOST_DELAYS) * unit
            return clock() + (int(delay) if unit > 1 else delay)

        return read

    @contextmanager
    def seen(self, modules: Sequence[ModuleType]) -> Iterator[None]:
        """Show `modules` another machine inside the block."""
        self._looks = 0
        given: list[tuple[dict[str, object], str, object, object]] = []
        for names in map(vars, modules):
            for name in self._replaceable(names):
                value = names.get(name)
                original, stand_in = self._stand_ins.get(id(value), (None, None))
                if stand_in is not None and original is value:
                    names[name] = stand_in
                    given.append((names, name, original, stand_in))
        sys.modules["time"] = self._time
        try:
            yield
        finally:
            sys.modules["time"] = application_time
            for names, name, original, stand_in in given:
                if names.get(name) is stand_in:
                    names[name] = original

    def _replaceable(self, names: dict[str, object]) -> Sequence[str]:
        """Return the names of a module with a replacement, as long as no name is added.

        A large program has tens of thousands of names, and few of them stand for a clock.
        """
        known = self._known.get(id(names))
        if known is None or known[1] != len(names):
            found = [name for name, value in names.items() if id(value) in self._stand_ins]
            known = self._known[id(names)] = names, len(names), found
        return known[2]


def _older(changed: Callable[[Any], float]) -> Callable[[Any], float]:
    return lambda filename: changed(filename) - AGE


def _more(count: Callable[[], int | None]) -> Callable[[], int | None]:
    def counted() -> int | None:
        found = count()
        return None if found is None else found + MORE_PROCESSORS

    return counted
