"""Which parts of a request may identify its sender."""

from __future__ import annotations

import re

from pytest_evosearch.problem.http.exchanges.endpoint import Location

_CREDENTIAL = re.compile(r"auth|token|api[-_]?key|session|jwt|secret|password", re.IGNORECASE)
_HARMLESS = re.compile(
    r"accept.*|content-.*|user-agent|if-.*|range|referer|origin|x-requested-with|x-fields|prefer"
    r"|cache-control|host|date|x-forwarded-.*|x-http-method.*",
    re.IGNORECASE,
)
"""Headers that do not identify the caller; an application may use any other header."""


def may_identify(location: Location, name: str) -> bool:
    """Say whether an input of this name may identify the caller."""
    if location is Location.COOKIE:
        return True
    if location is Location.HEADER:
        return _HARMLESS.fullmatch(name) is None
    return location is Location.QUERY and _CREDENTIAL.search(name) is not None
