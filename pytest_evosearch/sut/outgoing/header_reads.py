"""Records which headers of an answer the application reads."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from pytest_evosearch.sut.outgoing.answer_reads import AnswerReads
from pytest_evosearch.sut.patches import Patches

_CLASSES = [
    "requests.structures.CaseInsensitiveDict",
    "httpx.Headers",
    "urllib3._collections.HTTPHeaderDict",
    "email.message.Message",
    "http.client.HTTPMessage",
    "urllib.response.addinfourl",
]
"""Classes of headers; all other ways to ask them end at ``get`` or ``__getitem__``.
Their packages are those of clients."""

_CLIENTS = frozenset(name.partition(".")[0] for name in (*_CLASSES, "elastic_transport", __name__))
"""Clients read headers themselves for each answer; of these reads, only `_FOR_OTHERS` count.
The answering side reads those of the request."""

_FOR_OTHERS = "link"
"""A client splits this header for the application: ``response.links``."""

_BETWEEN = ("_collections_abc", "collections.abc")

_PLUMBING = ("content-", "transfer-")
"""How headers begin that tell how the body is written."""


def watch_headers(patches: Patches, reads: AnswerReads) -> None:
    """Record which headers are read, until `patches` end."""
    for module, _dot, name in (one.rpartition(".") for one in _CLASSES):
        klass: Any = getattr(sys.modules.get(module), name, None)
        for method in ("__getitem__", "get"):
            if klass is not None:
                patches.wrap(klass, method, lambda real: _reading(reads, real))


def _reading(reads: AnswerReads, real: Callable[..., Any]) -> Callable[..., Any]:
    def read(headers: Any, name: Any, *default: Any) -> Any:
        if not reads.is_serving or not isinstance(name, str) or name.lower().startswith(_PLUMBING):
            return real(headers, name, *default)
        if _asked_by_client(sys._getframe(1)) and name.lower() != _FOR_OTHERS:
            return real(headers, name, *default)
        try:
            value = real(headers, name, *default)
        except KeyError:
            reads.seen_header(name, None)
            raise
        return reads.seen_header(name, value)

    return read


def _asked_by_client(frame: Any) -> bool:
    while frame is not None and frame.f_globals.get("__name__") in _BETWEEN:
        frame = frame.f_back
    name = "" if frame is None else str(frame.f_globals.get("__name__", ""))
    return name.partition(".")[0] in _CLIENTS
