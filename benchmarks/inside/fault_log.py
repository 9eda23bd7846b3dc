"""Logs what an application does not catch: type and innermost frame of its own, a line each.

One ruler for the faults of all tools: as a plugin of pytest (``-p fault_log``) for written
suites, and installed by `replay` for requests.  ``FAULT_LOG`` names the file,
``FAULT_PACKAGES`` what counts as the application, separated by commas.
"""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import Any


def pytest_configure() -> None:
    """Begin to log, where a file is named."""
    if os.environ.get("FAULT_LOG"):
        install()


def install() -> None:
    """Connect to the signal that Flask sends for every exception that nobody handles."""
    from flask import got_request_exception
    from werkzeug.exceptions import HTTPException

    log = Path(os.environ["FAULT_LOG"])
    packages = tuple(os.environ["FAULT_PACKAGES"].split(","))

    def note(_application: object, exception: BaseException, **_further: Any) -> None:
        if isinstance(exception, HTTPException):
            return  # an answer: flask-restx sends the signal for these, too
        place = innermost(exception.__traceback__, packages)
        with log.open("a", encoding="utf-8") as file:
            file.write(f"{type(exception).__name__} {place}\n")

    got_request_exception.connect(note, weak=False)


def innermost(traceback: TracebackType | None, packages: tuple[str, ...]) -> str:
    """Return ``module:line`` of the innermost frame of the application, or ``elsewhere``."""
    place = "elsewhere"
    while traceback is not None:
        module = str(traceback.tb_frame.f_globals.get("__name__", ""))
        if module.partition(".")[0] in packages:
            place = f"{module}:{traceback.tb_lineno}"
        traceback = traceback.tb_next
    return place
