"""Keeps the application's output from the terminal, and lets this plugin's lines through.

pytest suspends its capture during the run loop, so output of the application would reach the
terminal.  `Voice.quiet` resumes the capture, and `Voice.speak` suspends it for a moment.  The three
methods of pytest's capture plugin that this needs are undocumented.  Without that plugin (``-p
no:capture``) this module redirects the file descriptors.
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
    """A way to keep output from the terminal."""

    def begin(self) -> None:
        """Start to discard output."""
        ...

    def end(self) -> None:
        """Let output through."""
        ...

    def drain(self) -> None:
        """Discard what was captured so far."""
        ...


class Voice:
    """Decides which output reaches the terminal.

    `quiet` may be nested; `speak` works inside and outside of it.
    """

    def __init__(self, mute: Mute) -> None:
        self._mute = mute
        self._depth = 0

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Keep all output from the terminal while inside."""
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
        """Let output reach the terminal while inside."""
        muted = self._depth > 0
        if muted:
            self._mute.end()
        try:
            yield
        finally:
            if muted:
                self._mute.begin()

    def drain(self) -> None:
        """Discard captured output, so that a long search does not fill the disk."""
        self._mute.drain()


def voice_of(config: pytest.Config) -> Voice:
    """Return the voice that fits how pytest was started; with ``-s`` nothing is captured."""
    manager = config.pluginmanager.get_plugin("capturemanager")
    return Voice(CaptureMute(manager) if manager is not None else DescriptorMute())


class CaptureMute:
    """Captures output with pytest's own capture; does nothing with ``-s``."""

    def __init__(self, manager: Any) -> None:
        self._manager = manager

    def begin(self) -> None:
        """Resume pytest's capture."""
        self._manager.resume_global_capture()

    def end(self) -> None:
        """Suspend pytest's capture, as pytest had it."""
        self._manager.suspend_global_capture()

    def drain(self) -> None:
        """Empty pytest's buffers, unless the application has closed them."""
        with suppress(ValueError, OSError):
            self._manager.read_global_capture()


class DescriptorMute:
    """Discards output by pointing the standard file descriptors at the null device."""

    def __init__(self) -> None:
        self._saved: list[int] = []
        self._streams: tuple[Any, Any] | None = None

    def begin(self) -> None:
        """Redirect the descriptors, unless they are redirected already."""
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
        """Restore the descriptors, if they are redirected."""
        if not self._saved or self._streams is None:
            return
        sys.stdout, sys.stderr = self._streams
        for descriptor, saved in zip(STANDARD_STREAMS, self._saved, strict=True):
            os.dup2(saved, descriptor)
            os.close(saved)
        self._saved = []

    def drain(self) -> None:
        """Do nothing: no output is kept."""

    def _flush(self) -> None:
        for stream in (sys.stdout, sys.stderr):
            with suppress(ValueError, OSError):
                stream.flush()


class _Discarded(io.TextIOBase):
    """A text stream that discards what is written to it."""

    def write(self, text: str) -> int:
        return len(text)

    def writable(self) -> bool:
        return True
