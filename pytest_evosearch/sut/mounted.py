"""Finds the Flask applications that are mounted below another one by Werkzeug's dispatcher."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from typing import Any

from pytest_evosearch.sut.decorations import is_made_by
from pytest_evosearch.sut.loader import unwrap

MOST_LAYERS = 20
"""Middlewares that are looked through; more is a cycle."""

_INNER = ("app", "wsgi_app", "application")


def mounted_applications(app: Any) -> Iterator[tuple[str, Any]]:
    """Yield the path and the Flask application of everything mounted in ``app.wsgi_app``.

    What is mounted in a mounted application is found as well; each application once.
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


def _mounts_of(layer: Any) -> Iterator[tuple[str, Any]]:
    """Yield what the dispatchers among the middlewares around an application hold."""
    for _layer in range(MOST_LAYERS):
        if is_made_by(layer, "werkzeug.middleware.dispatcher", "DispatcherMiddleware"):
            mounts = layer.mounts if isinstance(layer.mounts, Mapping) else {}
            yield from ((str(path).rstrip("/"), mounted) for path, mounted in mounts.items())
        layer = next((vars(layer)[name] for name in _INNER if name in _attributes(layer)), None)


def _attributes(value: Any) -> Mapping[str, Any]:
    return getattr(value, "__dict__", {})
