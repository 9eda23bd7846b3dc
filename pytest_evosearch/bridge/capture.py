"""Silence and speech: the application's output stays away, our own lines come through.

pytest suspends its capture during the run loop, so whatever the application prints would
land on the terminal.  `Voice.quiet` resumes the capture, `Voice.speak` lifts it for a
moment.  The three methods of pytest's capture plugin that this needs are undocumented;
without that plugin (``-p no:capture``) the file descriptors are redirected here.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextlib import suppress
from typing import Any
from typing import Protocol

import pytest

from pytest_evosearch.core.isolation import os

STANDARD_STREAMS = (1, 2)
"""File descriptors of standard output and standard error."""


class Mute(Protocol):
    """A way to keep output away from the terminal."""

    def begin(self) -> None:
        """Start to swallow output."""
        ...

    def end(self) -> None:
        """Let output through."""
        ...

    def drain(self) -> None:
        """Throw away what was swallowed so far."""
        ...


class Voice:
    """Decides who is heard.  `quiet` may be nested, and `speak` works in and outside of it."""

    def __init__(self, mute: Mute) -> None:
        self._mute = mute
        self._depth = 0

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Swallow everything that is written while inside."""
        self._depth += 1
        if self._depth == 1:
            self._mute.begin()
        try:
            yield
        finally:
            self._depth -= 1
            if self._depth == 0:
                self._mute.end()
                self._mute.drain()

    @contextmanager
    def speak(self) -> Iterator[None]:
        """Let what is written while inside reach the terminal."""
        muted = self._depth > 0
        if muted:
            self._mute.end()
        try:
            yield
        finally:
            if muted:
                self._mute.begin()

    def drain(self) -> None:
        """Forget swallowed output, so that a long search does not fill the disk."""
        self._mute.drain()


def voice_of(config: pytest.Config) -> Voice:
    """Return the voice that suits how pytest was started; ``-s`` means no silence at all."""
    manager = config.pluginmanager.get_plugin("capturemanager")
    return Voice(CaptureMute(manager) if manager is not None else DescriptorMute())


class CaptureMute:
    """Swallows output with pytest's own capture; does nothing under ``-s``."""

    def __init__(self, manager: Any) -> None:
        self._manager = manager

    def begin(self) -> None:
        """Resume pytest's capture."""
        self._manager.resume_global_capture()

    def end(self) -> None:
        """Suspend pytest's capture, as it was."""
        self._manager.suspend_global_capture()

    def drain(self) -> None:
        """Empty pytest's buffers; an application that closed them has nothing left to lose."""
        with suppress(ValueError, OSError):
            self._manager.read_global_capture()


class DescriptorMute:
    """Swallows output by pointing the standard file descriptors at the null device."""

    def __init__(self) -> None:
        self._saved: list[int] = []
        self._streams: tuple[Any, Any] | None = None

    def begin(self) -> None:
        """Redirect; does nothing while redirected."""
        if self._saved:
            return
        self._flush()
        self._streams = (sys.stdout, sys.stderr)
        self._saved = [os.dup(descriptor) for descriptor in STANDARD_STREAMS]
        null = os.open(os.devnull, os.O_WRONLY)
        for descriptor in STANDARD_STREAMS:
            os.dup2(null, descriptor)
        os.close(null)
        sys.stdout = sys.stderr = _Discarded()

    def end(self) -> None:
        """Restore; does nothing while not redirected."""
        if not self._saved or self._streams is None:
            return
        sys.stdout, sys.stderr = self._streams
        for descriptor, saved in zip(STANDARD_STREAMS, self._saved, strict=True):
            os.dup2(saved, descriptor)
            os.close(saved)
        self._saved = []

    def drain(self) -> None:
        """Nothing is kept."""

    def _flush(self) -> None:
        for stream in (sys.stdout, sys.stderr):
            with suppress(ValueError, OSError):
                stream.flush()


class _Discarded(io.TextIOBase):
    """A text stream that forgets."""

    def write(self, text: str) -> int:
        return len(text)

    def writable(self) -> bool:
        return True
