"""Callers who come back later: the browser was closed, and only lasting cookies remain.

    after a log-in    the cookies without an end are deleted (``session``), the others stay
    then              what refuses an anonymous caller is asked once more

No library is named here: the cookies themselves show a "remember me".
"""

from __future__ import annotations

import re

from pytest_evosearch.problem.http.exchanges.exchange import Exchange

_COOKIE = re.compile(r"\s*(?P<name>[^=;\s]+)=(?P<value>[^;]*)(?P<rest>.*)", re.DOTALL)
_PATH = re.compile(r";\s*path=/[^;\s]", re.IGNORECASE)
_END = re.compile(r";\s*(?:max-age|expires)=", re.IGNORECASE)


def fleeting_cookies(exchange: Exchange) -> tuple[str, ...]:
    """Return the response's cookies that end with the browser; none where no other cookie lasts.

    Cookies of a single path are ignored: deleting one would need its path.
    """
    headers = exchange.response.headers if exchange.response is not None else ()
    texts = [value for name, value in headers if name.lower() == "set-cookie"]
    found = [match for match in map(_COOKIE.match, texts) if match and match["value"].strip('"')]
    fleeting = [one for one in found if not _END.search(one["rest"])]
    if len(fleeting) == len(found) or any(_PATH.search(one["rest"]) for one in fleeting):
        return ()
    return tuple(dict.fromkeys(one["name"] for one in fleeting))
