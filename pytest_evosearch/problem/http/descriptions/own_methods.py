"""Which methods of a URL rule the project answers itself, and which Flask answers."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import CodeType
from typing import Any

from werkzeug.routing import Rule

from pytest_evosearch.core.http_words import WRITING

METHOD_ORDER = ("GET", *WRITING)

_HEAD = "HEAD"
_OPTIONS = "OPTIONS"


def methods_to_search(rule: Rule, view: Any) -> list[str]:
    """Return the methods of `rule` that are worth a call, in a stable order.

    Flask adds HEAD to each GET and answers OPTIONS itself. Both count only where the project's code
    answers them, or where the rule has no other method.
    """
    methods = set(rule.methods or {"GET"})
    automatic = {name for name in (_HEAD, _OPTIONS) if not _is_own(name, rule, view)}
    return sorted(methods - automatic or methods, key=_rank)


def _rank(method: str) -> tuple[int, str]:
    known = method in METHOD_ORDER
    return (METHOD_ORDER.index(method) if known else len(METHOD_ORDER), method)


def _is_own(method: str, rule: Rule, view: Any) -> bool:
    """Say whether the project answers `method` by itself.

    Flask notes at a rule whether it answers OPTIONS itself. A rule with HEAD and without GET is
    meant to answer HEAD. With GET, only the code of the view shows it.
    """
    view_class = getattr(view, "view_class", None)
    if callable(getattr(view_class, method.lower(), None)):
        return True
    if method == _OPTIONS and getattr(rule, "provide_automatic_options", None) is False:
        return True
    if method == _HEAD and "GET" not in (rule.methods or ()):
        return True
    function = _own_dispatcher(view_class) if isinstance(view_class, type) else view
    return method in set(_texts_of(function))


def _own_dispatcher(view_class: type) -> Any:
    """Return ``dispatch_request`` if the package of `view_class` defines it.

    A library's method, such as that of Flask's `MethodView`, mentions HEAD only to answer it like
    GET.
    """
    for kind in view_class.__mro__:
        if "dispatch_request" in vars(kind):
            own = _package_of(kind) == _package_of(view_class)
            return vars(kind)["dispatch_request"] if own else None
    return None


def _package_of(kind: type) -> str:
    return kind.__module__.partition(".")[0]


def _texts_of(function: Any) -> Iterator[str]:
    """Yield the texts in the code of `function`, looking through decorators."""
    try:
        code = getattr(inspect.unwrap(function), "__code__", None) if function else None
    except ValueError:  # wrappers form a cycle
        return
    if isinstance(code, CodeType):
        yield from _texts_in(code.co_consts)


def _texts_in(constants: object) -> Iterator[str]:
    if isinstance(constants, str):
        yield constants
    elif isinstance(constants, (tuple, frozenset)):
        for part in constants:
            yield from _texts_in(part)
