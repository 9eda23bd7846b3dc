"""A running browser, as the search sees it: orders go in, requests and screens come out."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import contextmanager
from contextlib import suppress
from pathlib import Path
from select import select
from typing import Any

from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.scratch import scratch_folder
from pytest_evosearch.sut.browser import page_driver
from pytest_evosearch.sut.sandbox.child_processes import descendants_of
from pytest_evosearch.sut.sandbox.child_processes import end_processes
from pytest_evosearch.sut.sandbox.child_processes import is_running

ORIGIN = "http://localhost"
"""The address that Flask's test client uses, too."""

START_SECONDS = 60.0
ANSWER_SECONDS = 2 * page_driver.ACTION_SECONDS
"""Longest time for a browser to start, and for a page to say anything."""

PARTING_SECONDS = 3.0


class BrowserGone(RuntimeError):
    """Says that the browser has ended, or that its page does not answer."""


class DrivenBrowser:
    """A browser in other processes; `driven_browser` starts and ends it."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._buffer = b""
        self._owes_answer = False
        self._is_quiet = True

    @property
    def number(self) -> int:
        """Return the number of the process that drives the browser."""
        return self._process.pid

    def tell(self, message: Mapping[str, Any]) -> None:
        """Send an order or an answer."""
        assert self._process.stdin is not None
        self._owes_answer = self._is_quiet = False
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        except OSError as error:
            raise BrowserGone("the browser has ended") from error

    def heard(self, seconds: float = ANSWER_SECONDS) -> dict[str, Any]:
        """Return the next message; raise `BrowserGone` where none comes."""
        assert self._process.stdout is not None
        descriptor, end = self._process.stdout.fileno(), monotonic() + seconds
        while b"\n" not in self._buffer:
            left = end - monotonic()
            if left <= 0 or not select([descriptor], [], [], left)[0]:
                raise BrowserGone(f"the page did not answer for {seconds:.0f} seconds")
            data = os.read(descriptor, 1 << 16)
            if not data:
                raise BrowserGone("the browser has ended")
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        message: dict[str, Any] = json.loads(line)
        self._owes_answer, self._is_quiet = "request" in message, "request" not in message
        return message

    def settle(self) -> None:
        """Let all requests fail that the page still makes; a test may end before its page."""
        while not self._is_quiet:
            if self._owes_answer:
                self.tell({"status": 0})
            self.heard()


@contextmanager
def driven_browser(program: str) -> Iterator[DrivenBrowser]:
    """Run a browser inside the block; afterwards no process and no profile is left."""
    with scratch_folder("browser") as folder, (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, page_driver.__file__, program, ORIGIN],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            env=_environment(folder),
            start_new_session=True,
        )
        try:
            browser = DrivenBrowser(process)
            try:
                browser.heard(START_SECONDS)
            except BrowserGone as error:
                raise BrowserGone(f"{program} does not start: {_last_words(folder)}") from error
            yield browser
        finally:
            _end(process)


def _environment(folder: Path) -> dict[str, str]:
    """Return an environment in which profiles and settings stay in `folder`."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("COV_")}
    return {**kept, "TMPDIR": str(folder), "HOME": str(folder)}


def _last_words(folder: Path) -> str:
    lines = (folder / "log").read_text("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else "it said nothing"


def _end(process: subprocess.Popen[bytes]) -> None:
    """Let the driver close its browser, and end what is left."""
    started = descendants_of(process.pid)
    with suppress(OSError):
        if process.stdin is not None:
            process.stdin.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(PARTING_SECONDS)
    left = (process.pid, *started, *descendants_of(process.pid))
    end_processes(lambda: filter(is_running, left))
    process.wait()
    if process.stdout is not None:
        process.stdout.close()
