"""A plugin for pytest that meters the search alone, and ends the process after it.

    METERED_SEARCH   file to which one JSON object is written

Processor seconds of the search and, of these, of the calls of the application; the number of calls
and evaluations; a digest of the tests that were found, which tells whether two revisions search
alike.  The application's share holds the probes that run in its code.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from pathlib import Path
from typing import Any

_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ][\d:.]+")
"""What tests send that answers have told them, and that is another one in each run."""

_exit, _clock, _file = os._exit, time.process_time, os.environ.get("METERED_SEARCH", "")


def pytest_sessionstart() -> None:
    """Meter the search of this session."""
    from pytest_evosearch.engine.loop import SearchLoop
    from pytest_evosearch.sut.clients.fast_client import LeanSender

    meter: dict[str, Any] = {"application": 0.0, "calls": 0}
    real_run: Any = SearchLoop.run
    real_call: Any = LeanSender._call

    def call(*arguments: Any) -> Any:
        began = _clock()
        try:
            return real_call(*arguments)
        finally:
            meter["application"] += _clock() - began
            meter["calls"] += 1

    def run(self: Any) -> Any:
        meter.update(application=0.0, calls=0)
        began = _clock()
        try:
            return real_run(self)
        finally:
            meter.update(search=_clock() - began, evaluations=self.meter.evaluations)
            meter["digest"] = digest_of(self.archive)
            with Path(_file).open("w", encoding="utf-8") as file:
                json.dump(meter, file)
            _exit(0)

    SearchLoop.run = run  # type: ignore[method-assign]
    LeanSender._call = call  # type: ignore[method-assign]


def digest_of(archive: Any) -> str:
    """Return a short text that differs where other tests, or other targets, were found."""
    found = [(repr(target), repr(one.individual)) for target, one in archive.covered.items()]
    return hashlib.sha256(_TIME.sub("now", repr(found)).encode()).hexdigest()[:12]
