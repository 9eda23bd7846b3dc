"""Answers the services of an application during a search: the desk, the seam and the reads."""

from __future__ import annotations

import errno
import sys
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import contextmanager
from typing import Any

from pytest_evosearch.sut.outgoing.asked_calls import AskedCall
from pytest_evosearch.sut.outgoing.desk import AnswerDesk
from pytest_evosearch.sut.outgoing.header_reads import watch_headers
from pytest_evosearch.sut.outgoing.markup_reads import watch_markup
from pytest_evosearch.sut.outgoing.seam import ServiceSeam
from pytest_evosearch.sut.patches import Patches


class AnsweredServices:
    """What an execution needs of this package."""

    def __init__(self, real: Collection[str] = (), refuses: bool = False) -> None:
        self._desk = AnswerDesk()
        self._seam = ServiceSeam(self._desk, real, refuses)

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Answer inside the block, while a test runs."""
        reads = self._desk.reads
        with self._seam.installed(), Patches() as patches:
            reads.watch_parsers(patches)
            watch_headers(patches, reads)
            watch_markup(patches, reads)
            self._desk.aws.watch(patches)
            _refuse_grpc(patches)
            yield

    def begin_test(self) -> None:
        """Answer from now on, on new connections."""
        self._seam.begin_test()
        self._desk.begin({}, frozenset)
        self._desk.is_open = True

    def end_test(self) -> None:
        """Leave connections to the policy below."""
        self._desk.is_open = False

    def begin(
        self,
        answers: Mapping[str, Mapping[str, object]],
        sent: Callable[[], Collection[str]],
        records: bool = True,
    ) -> None:
        """Take the answers for the next call, and a function that returns the texts it sends.

        With `records`, parsed answers record what the application reads of them.
        """
        self._desk.reads.is_recording = records
        self._desk.begin(answers, sent)

    def take(self) -> tuple[AskedCall, ...]:
        """Return what was asked since `begin`."""
        return self._desk.take()

    def were_asked(self) -> bool:
        """Say whether anything was asked since `begin`."""
        return bool(self._desk.take())

    @property
    def looked_up(self) -> Collection[str]:
        """Names of hosts that were looked up since `begin`, also where nothing was asked."""
        return self._desk.looked_up

    def reads(self) -> Sequence[Any]:
        """Return what was read of the answers since `begin`."""
        return self._desk.reads.reads()


def _refuse_grpc(patches: Patches) -> None:
    """Refuse channels of gRPC: its code in C has sockets of its own, which nothing here sees."""
    for module in ("grpc", "grpc.aio"):
        for name in ("insecure_channel", "secure_channel"):
            patches.wrap(sys.modules.get(module), name, _refusing)


def _refusing(_real: Any) -> Callable[..., Any]:
    def channel(target: str, *_others: Any, **_named: Any) -> Any:
        raise ConnectionRefusedError(
            errno.ECONNREFUSED, f"pytest-evosearch does not answer gRPC: {target}"
        )

    return channel
