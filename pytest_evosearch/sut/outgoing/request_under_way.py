"""Finds the request that a client wants to send to a host which cannot be reached."""

from __future__ import annotations

import sys
from typing import Any

from pytest_evosearch.sut.outgoing.asked_calls import OutgoingRequest

_CLIENTS = ("requests", "httpx")
"""Clients whose functions that send have a local variable ``request``."""


def request_under_way() -> OutgoingRequest | None:
    """Return the request that the innermost of the known clients is sending, None without one."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_back is not None:
        frame = frame.f_back
        if str(frame.f_globals.get("__name__")).partition(".")[0] in _CLIENTS:
            request: Any = frame.f_locals.get("request")
            url = str(getattr(request, "url", ""))
            if url.startswith("http"):
                address, _mark, query = url.partition("?")
                headers = tuple((str(k), str(v)) for k, v in request.headers.items())
                return OutgoingRequest(str(request.method), address, query, headers)
    return None
