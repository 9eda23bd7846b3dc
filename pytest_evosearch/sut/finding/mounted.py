"""Finds the Flask applications that are mounted below another one.

Werkzeug's dispatcher mounts them, or a view that serves its whole path with another one:

    @app.route("/admin/<path:page>")
    def admin(page):
        return admin_app.wsgi_app
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Mapping
from types import FunctionType
from typing import Any

from flask import Flask

from pytest_evosearch.sut.decorations import closure
from pytest_evosearch.sut.decorations import is_made_by
from pytest_evosearch.sut.decorations import layers
from pytest_evosearch.sut.finding.application_loader import unwrap

MOST_LAYERS = 20
"""Most middlewares that are followed; a longer chain is a cycle."""

_GATE = re.compile(r"(?P<path>[^<]*)/<path:[^>]+>")
"""A rule for everything below a path."""


def mounted_applications(app: Any) -> Iterator[tuple[str, Any]]:
    """Yield the path and the Flask application of everything mounted in ``app.wsgi_app``.

    A view can mount an application, too. Applications mounted in mounted ones are found; each is
    yielded once.
    """
    seen = [app]
    waiting = [("", app)]
    while waiting:
        prefix, holder = waiting.pop(0)
        found = (*_mounts_of(vars(holder).get("wsgi_app")), *_mounts_by_view(holder))
        for path, mounted in found:
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


def _mounts_by_view(app: Any) -> Iterator[tuple[str, Any]]:
    """Yield path and application of views that serve another application."""
    for rule in app.url_map.iter_rules():
        gate = _GATE.fullmatch(rule.rule)
        if gate is None:
            continue
        for layer in layers(app.view_functions.get(rule.endpoint)):
            for held in _applications_named_in(layer):
                yield gate["path"], held


def _applications_named_in(function: FunctionType) -> list[Any]:
    """Return the Flask applications whose ``wsgi_app`` the code of `function` names."""
    code = function.__code__
    if "wsgi_app" not in code.co_names:
        return []
    names = {name: function.__globals__.get(name) for name in code.co_names}
    return [one for one in {**names, **closure(function)}.values() if issubclass(type(one), Flask)]


def _attributes(value: Any) -> Mapping[str, Any]:
    return getattr(value, "__dict__", {})
