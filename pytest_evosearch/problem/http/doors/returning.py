"""Who comes back later: a browser has closed, and only the cookies that last are still there.

    after a log-in    the cookies without an end are deleted (``session``), the others stay
    then              what refuses an anonymous caller is asked once more

No library is named here: "remember me" shows by what its cookies say themselves.
"""

from __future__ import annotations

import re

from pytest_evosearch.problem.http.exchanges.exchange import Exchange

_COOKIE = re.compile(r"\s*(?P<name>[^=;\s]+)=(?P<value>[^;]*)(?P<rest>.*)", re.DOTALL)
_PATH = re.compile(r";\s*path=/[^;\s]", re.IGNORECASE)
_END = re.compile(r";\s*(?:max-age|expires)=", re.IGNORECASE)


def fleeting_cookies(exchange: Exchange) -> tuple[str, ...]:
    """Return the cookies of an answer that end with the browser; none where no other lasts.

    Cookies of a single path are left alone: what deletes a cookie has to name its path.
    """
    headers = exchange.response.headers if exchange.response is not None else ()
    texts = [value for name, value in headers if name.lower() == "set-cookie"]
    found = [match for match in map(_COOKIE.match, texts) if match and match["value"].strip('"')]
    fleeting = [one for one in found if not _END.search(one["rest"])]
    if len(fleeting) == len(found) or any(_PATH.search(one["rest"]) for one in fleeting):
        return ()
    return tuple(dict.fromkeys(one["name"] for one in fleeting))
