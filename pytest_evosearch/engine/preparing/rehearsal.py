"""Finds out before a search whether the project changes requests in the same way each time.

A written test sends what was sent, as literals.  A time, a number that is drawn, a signature over
either would be another one by then: their author should know it before the search, not after.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator

from pytest_evosearch.errors import HookFailed
from pytest_evosearch.execution.repetitions import shifted_clock
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import is_safe
from pytest_evosearch.problem.http.exchanges.exchange import Request


def changing_part(
    change: Callable[[Request, Endpoint, str | None], Request], endpoints: Iterable[Endpoint]
) -> str | None:
    """Return what `change` adds to the same request in another way at another time, else None.

    As in ``the header 'X-Signature'``.  What it does to requests that do not suit it is seen later.
    """
    for endpoint in endpoints:
        try:
            now = change(_plain_request(endpoint), endpoint, None)
            with shifted_clock():
                later = change(_plain_request(endpoint), endpoint, None)
        except HookFailed:
            continue
        for part in _differing_parts(now, later):
            return part
    return None


def _plain_request(endpoint: Endpoint) -> Request:
    body: object = None if is_safe(endpoint.key) else {}
    path = dict.fromkeys(endpoint.placeholders, "1")
    return Request(
        endpoint.method, endpoint.template, path=path, json=body, has_json=body is not None
    )


def _differing_parts(one: Request, other: Request) -> Iterator[str]:
    named = (
        ("header", one.headers, other.headers),
        ("cookie", one.cookies, other.cookies),
        ("environment", one.environ, other.environ),
        ("query parameter", one.query, other.query),
        ("form field", one.form, other.form),
    )
    for kind, left, right in named:
        for name, value in (*left, *right):
            if (name, value) not in left or (name, value) not in right:
                yield f"the {kind} {name!r}"
    if (one.json, one.text) != (other.json, other.text):
        yield "the body"
