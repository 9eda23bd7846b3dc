"""Tells the search which texts an application takes for the address of a service.

    requests.get("a")                   MissingSchema
    urllib.request.urlopen("a")         ValueError: unknown url type
    httpx.get("a")                      UnsupportedProtocol

A client that refuses a text compares it with an address: where the text came in with the request,
the search sends an address next.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from functools import wraps
from typing import Any
from typing import TypeAlias

from pytest_evosearch.genes.formats import UrlGene
from pytest_evosearch.instrument.probing.weighing import Scales
from pytest_evosearch.sut.patches import Patches

Weigh: TypeAlias = "Callable[[object], None]"

ADDRESS = UrlGene().current
"""Nothing is asked there: connections beyond loopback are answered in the process or refused."""


@contextmanager
def weighed_addresses(scales: Scales) -> Iterator[None]:
    """Report texts that clients refuse as addresses to `scales` inside the block."""

    def weigh(text: object) -> None:
        if isinstance(text, str) and scales.in_use:
            scales.weigh(text, ADDRESS)

    with Patches() as patches:
        for module, owner, name, wrap in (
            ("requests.models", "PreparedRequest", "prepare_url", _first_argument),
            ("urllib.request", "Request", "_parse", _own_address),
            ("httpx._client", "BaseClient", "_merge_url", _merged),
        ):
            kind = getattr(sys.modules.get(module), owner, None)
            if kind is not None:
                patches.wrap(kind, name, partial(wrap, weigh))
        yield


def _first_argument(weigh: Weigh, prepare: Callable[..., Any]) -> Any:
    """Wrap a method that takes an address, and raises where it is none."""

    @wraps(prepare)
    def prepared(receiver: Any, address: Any, *arguments: Any, **keywords: Any) -> Any:
        try:
            return prepare(receiver, address, *arguments, **keywords)
        except Exception:
            weigh(address)
            raise

    return prepared


def _own_address(weigh: Weigh, parse: Callable[..., Any]) -> Any:
    """Wrap the method with which a request of urllib takes its address apart."""

    @wraps(parse)
    def parsed(receiver: Any) -> Any:
        try:
            return parse(receiver)
        except ValueError:
            weigh(receiver.full_url)
            raise

    return parsed


def _merged(weigh: Weigh, merge: Callable[..., Any]) -> Any:
    """Wrap the method of httpx that puts an address below that of the client."""

    @wraps(merge)
    def merged(receiver: Any, address: Any) -> Any:
        result = merge(receiver, address)
        if not result.host:
            weigh(address)
        return result

    return merged
