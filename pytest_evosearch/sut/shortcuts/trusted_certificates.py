"""Postpones loading of a TLS context's certificates until its use, during a search.

Every ``httpx.Client()`` and every ``urllib.request.urlopen("https://...")`` creates a context and
reads about 150 certificates into it. This takes 20 ms or more each time, for connections that the
sandbox refuses before any certificate is needed.

    load a file      the first time as usual; then it is noted, and its context waits
    use a context    what it waits for is loaded, in the same order (`_USES`)
    end              whatever still waits is loaded

Invariant: only the time differs.
"""

from __future__ import annotations

import functools
import ssl
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from typing import TypeAlias
from weakref import WeakKeyDictionary

from pytest_evosearch.core.isolation import os

_LOADS = ("load_verify_locations", "set_default_verify_paths")
_USES = ("wrap_socket", "wrap_bio", "cert_store_stats", "get_ca_certs")

Load: TypeAlias = "tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]"
"""A method of a context, with the arguments for its postponed call."""

Source: TypeAlias = "tuple[tuple[str | bytes, int], ...]"
"""Files or folders of certificates, each with its last change; () is the system's own."""


@contextmanager
def certificates_on_demand() -> Iterator[None]:
    """Postpone repeated loads of `ssl.SSLContext` until they are needed, or to the end."""
    contexts: Any = ssl.SSLContext
    own = {name: vars(contexts).get(name) for name in (*_LOADS, *_USES)}
    certificates = _Certificates()
    for name in _LOADS:
        setattr(contexts, name, certificates.putting_off(getattr(contexts, name)))
    for name in _USES:
        setattr(contexts, name, certificates.catching_up(getattr(contexts, name)))
    try:
        yield
    finally:
        for name, function in own.items():
            if function is None:
                delattr(contexts, name)
            else:
                setattr(contexts, name, function)
        certificates.catch_up_everywhere()


class _Certificates:
    """Knows earlier loads, and what each context waits for."""

    def __init__(self) -> None:
        self._loaded: set[tuple[str, Source]] = set()
        self._waiting: WeakKeyDictionary[ssl.SSLContext, list[Load]] = WeakKeyDictionary()

    def putting_off(self, load: Callable[..., Any]) -> Callable[..., Any]:
        """Return a replacement for `load` that postpones a load which has succeeded before."""

        @functools.wraps(load)
        def put_off(context: ssl.SSLContext, *arguments: Any, **keywords: Any) -> None:
            source = _source(*arguments, **keywords)
            if source is not None and (load.__name__, source) in self._loaded:
                self._waiting.setdefault(context, []).append((load, arguments, keywords))
                return
            self.catch_up(context)
            load(context, *arguments, **keywords)
            if source is not None:
                self._loaded.add((load.__name__, source))

        return put_off

    def catching_up(self, use: Callable[..., Any]) -> Callable[..., Any]:
        """Return a replacement for `use` that first loads what its context waits for."""

        @functools.wraps(use)
        def caught_up(context: ssl.SSLContext, *arguments: Any, **keywords: Any) -> Any:
            self.catch_up(context)
            return use(context, *arguments, **keywords)

        return caught_up

    def catch_up(self, context: ssl.SSLContext) -> None:
        """Load what `context` waits for."""
        for load, arguments, keywords in self._waiting.pop(context, ()):
            load(context, *arguments, **keywords)

    def catch_up_everywhere(self) -> None:
        """Load what all living contexts wait for."""
        for context in list(self._waiting):
            self.catch_up(context)


def _source(cafile: Any = None, capath: Any = None, cadata: Any = None) -> Source | None:
    """Return what identifies the certificates of a call; None to load them at once.

    A file counts with the time of its last change; a missing one raises at once.
    """
    if cadata is not None:
        return None
    try:
        return tuple(
            (os.fspath(path), os.stat(path).st_mtime_ns) for path in (cafile, capath) if path
        )
    except (OSError, TypeError, ValueError):
        return None
