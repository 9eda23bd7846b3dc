"""Where a request is sent: by https, to a host of a tenant.

A test client tells both at once, ``base_url="https://alder.localhost"``; a request holds them as
the variables of WSGI that they become.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from typing import TypeVar

SCHEME, HOST = "wsgi.url_scheme", "HTTP_HOST"

USUAL_HOST = "localhost"

Value = TypeVar("Value")


def base_url_of(variables: Mapping[str, object], host: str = "") -> str | None:
    """Return the address that a client is given, None where it is the usual one."""
    scheme = str(variables.get(SCHEME, "http"))
    host = str(variables.get(HOST, "")) or host
    if scheme == "http" and host in ("", USUAL_HOST):
        return None
    return f"{scheme}://{host or USUAL_HOST}"


def other_variables(pairs: Sequence[tuple[str, Value]]) -> list[tuple[str, Value]]:
    """Return the variables that are not part of the address."""
    return [pair for pair in pairs if pair[0] not in (SCHEME, HOST)]
