"""Finds the Flask applications that Werkzeug's dispatcher mounts below another one."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from typing import Any

from pytest_evosearch.sut.decorations import is_made_by
from pytest_evosearch.sut.finding.application_loader import unwrap

MOST_LAYERS = 20
"""Most middlewares that are followed; a longer chain is a cycle."""


def mounted_applications(app: Any) -> Iterator[tuple[str, Any]]:
    """Yield the path and the Flask application of everything mounted in ``app.wsgi_app``.

    Applications mounted in mounted ones are found; each is yielded once.
    """
    seen = [app]
    waiting = [("", app)]
    while waiting:
        prefix, holder = waiting.pop(0)
        for path, mounted in _mounts_of(vars(holder).get("wsgi_app")):
            inner, _suffix = unwrap(mounted)
            if inner is None or inner in seen:
                continue
            seen.append(inner)
            waiting.append((prefix + path, inner))
            yield prefix + path, inner


def foreign_mounts(app: Any) -> Iterator[str]:
    """Yield the paths at which a dispatcher mounts an application that is not Flask's."""
    for path, mounted in _mounts_of(_attributes(app).get("wsgi_app")):
        if unwrap(mounted)[0] is None:
            yield path


def _mounts_of(layer: Any) -> Iterator[tuple[str, Any]]:
    """Yield the applications of dispatchers among the middlewares around an application."""
    for _layer in range(MOST_LAYERS):
        if is_made_by(layer, "werkzeug.middleware.dispatcher", "DispatcherMiddleware"):
            mounts = layer.mounts if isinstance(layer.mounts, Mapping) else {}
            yield from ((str(path).rstrip("/"), mounted) for path, mounted in mounts.items())
        layer = next(
            (
                vars(layer)[name]
                for name in ("app", "wsgi_app", "application")
                if name in _attributes(layer)
            ),
            None,
        )


def _attributes(value: Any) -> Mapping[str, Any]:
    return getattr(value, "__dict__", {})
