"""Finds out before a search whether the project changes requests in one way each time.

A written test repeats what was sent, as literals.  A time, a random number, or a signature of these
would have changed by then.  The author of the hook should know this before the search.
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
    """Return which part of a request `change` sets differently at another time, else None.

    For example ``the header 'X-Signature'``.  A request that `change` refuses is skipped.
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
