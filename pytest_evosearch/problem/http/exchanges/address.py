"""Where a request is sent: by https, to a host of a tenant.

A test client tells both at once, ``base_url="https://alder.localhost"``; a request holds them as
the variables of WSGI that they become.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from collections.abc import Sequence
from typing import TypeVar

SCHEME, HOST = "wsgi.url_scheme", "HTTP_HOST"

USUAL_HOST = "localhost"

_SCHEMES = ("http", "https")
_HOST = re.compile(r"(?:[\w.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?", re.ASCII)

Value = TypeVar("Value")


def base_url_of(variables: Mapping[str, object], host: str = "") -> str | None:
    """Return the address that a client is given, None where it is the usual one."""
    scheme = str(variables.get(SCHEME, "http"))
    host = str(variables.get(HOST, "")) or host
    if scheme == "http" and host in ("", USUAL_HOST):
        return None
    return f"{scheme}://{host or USUAL_HOST}"


def can_be_sent(name: str, text: str) -> bool:
    """Say whether a client can make a server set the variable `name` to `text`.

    No client has another scheme than these two, nor a host with a blank in it (RFC 3986, 3.2.2).
    """
    if name == SCHEME:
        return text in _SCHEMES
    return name != HOST or _HOST.fullmatch(text) is not None


def other_variables(pairs: Sequence[tuple[str, Value]]) -> list[tuple[str, Value]]:
    """Return the variables that are not part of the address."""
    return [pair for pair in pairs if pair[0] not in (SCHEME, HOST)]
