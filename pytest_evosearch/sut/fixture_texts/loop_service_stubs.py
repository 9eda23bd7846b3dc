"""Answers for services that an application calls in event loops, in the written tests.

`services_text` copies what follows the imports into a written conftest.py, as it is here.
"""

from __future__ import annotations

import asyncio
import ssl
from typing import Any

from pytest_evosearch.sut.fixture_texts.service_stubs import SERVICES
from pytest_evosearch.sut.fixture_texts.service_stubs import Services


class LoopServices(Services):
    """The same for clients in event loops."""

    def install(self, replace: Any) -> None:
        """Replace what connects."""
        super().install(replace)
        wrap = ssl.SSLContext.wrap_bio

        def wrapped(
            context: Any,
            incoming: Any,
            outgoing: Any,
            server_side: bool = False,
            server_hostname: Any = None,
            session: Any = None,
        ) -> Any:
            name = server_hostname or ""
            name = name.decode() if isinstance(name, bytes) else name
            opened = [one for one in SERVICES.values() if one.host == name]
            if not opened:
                return wrap(context, incoming, outgoing, server_side, server_hostname, session)
            self.encrypt(context, opened[-1])
            return PlainTls(incoming, outgoing)

        replace(ssl.SSLContext, "wrap_bio", wrapped)

    def wait(self, client: Any) -> None:
        """Let the next timer of the loop end, as nothing comes until then."""
        if client.gettimeout() != 0:
            super().wait(client)
        loop: Any = asyncio.get_running_loop()
        clock, timers = loop.time, [one.when() for one in loop._scheduled if not one.cancelled()]
        ahead = min(timers) - clock() + 0.001
        loop.time = lambda: clock() + ahead
        raise BlockingIOError


class PlainTls:
    """TLS of an event loop, without encryption."""

    def __init__(self, incoming: Any, outgoing: Any) -> None:
        self.incoming, self.write = incoming, outgoing.write

    def read(self, size: int = 1024, buffer: Any = None) -> Any:
        """Return what has arrived."""
        data = self.incoming.read(size if buffer is None else min(size, len(buffer)))
        if not data and not self.incoming.eof:
            raise ssl.SSLWantReadError
        if buffer is None:
            return data
        buffer[: len(data)] = data
        return len(data)

    def __getattr__(self, name: str) -> Any:
        return lambda *_: None
