"""A pipe that carries whole messages between a process and its fork.

This module does not use `multiprocessing`, because an application may have patched the modules
below it (sockets, os). A pipe with a length before each message is enough.
"""

from __future__ import annotations

import select
import struct

from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.isolation import time

_LENGTH = struct.Struct("!Q")
_poll = getattr(select, "poll", None)  # missing on Windows, where nothing forks


class ChannelClosed(Exception):
    """The other side is gone."""


class Channel:
    """One direction of a conversation between two processes."""

    def __init__(self) -> None:
        self.reading, self.writing = os.pipe()

    def keep_reading(self) -> None:
        """Close the writing end, which belongs to the other process."""
        os.close(self.writing)

    def keep_writing(self) -> None:
        """Close the reading end, which belongs to the other process."""
        os.close(self.reading)

    def send(self, message: bytes) -> None:
        """Write one message; raise `ChannelClosed` when the reading process is gone."""
        pending = memoryview(_LENGTH.pack(len(message)) + message)
        try:
            while pending:
                pending = pending[os.write(self.writing, pending) :]
        except OSError as error:
            raise ChannelClosed from error

    def receive(self) -> bytes:
        """Wait for one message; raise `ChannelClosed` when no more can come."""
        (length,) = _LENGTH.unpack(self._read(_LENGTH.size))
        return self._read(length)

    def _read(self, length: int) -> bytes:
        parts = []
        while length:
            try:
                part = os.read(self.reading, min(length, 1 << 20))
            except OSError as error:
                raise ChannelClosed from error
            if not part:
                raise ChannelClosed
            parts.append(part)
            length -= len(part)
        return b"".join(parts)


def wait_for(channels: list[Channel], seconds: float) -> list[Channel]:
    """Return the channels that are readable or closed within `seconds`."""
    assert _poll is not None
    poll = _poll()
    for channel in channels:
        poll.register(channel.reading, select.POLLIN)
    ready = {number for number, _events in poll.poll(max(0.0, seconds) * 1000)}
    return [channel for channel in channels if channel.reading in ready]


def remaining(end: float) -> float:
    """Return the seconds until `end`, a time of `time.monotonic`."""
    return max(0.0, end - time.monotonic())
