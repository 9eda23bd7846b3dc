"""Endpoints that the application's URL map declares, and their selection."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import islice
from types import CodeType
from typing import Any

from werkzeug.routing import Rule

from pytest_evosearch.core.registry import suggestion
from pytest_evosearch.errors import InvalidSetting
from pytest_evosearch.genes.choice import ChoiceGene
from pytest_evosearch.problem.http.descriptions.converters import gene_for_converter
from pytest_evosearch.problem.http.descriptions.own_methods import methods_to_search
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import Parameter
from pytest_evosearch.problem.http.exchanges.endpoint import View

STATIC = "static"
"""Endpoint that serves the folder of static files, and the pattern for all of these."""

MOST_NAMES = 12
"""Most texts of a view that are kept as possible names of what it takes."""

_VARIABLE = re.compile(
    r"<(?:[a-zA-Z_][a-zA-Z0-9_]*(?:\((?P<arguments>.*?)\))?:)?(?P<name>[a-zA-Z_][a-zA-Z0-9_]*)>",
    re.ASCII,
)


def endpoints_from_url_map(app: Any, mount: str = "") -> list[Endpoint]:
    """Return every method of every rule of `app.url_map`, in the order of registration.

    An application that is mounted below another one counts as its blueprint, with the path `mount`.

    HEAD and OPTIONS are endpoints where the project answers them itself.

    Rules that only build URLs, redirect or serve web sockets are left out.  Two rules with
    the same template and method are one endpoint that accepts the values of both.
    """
    found: dict[str, Endpoint] = {}
    for rule in app.url_map.iter_rules():
        if rule.build_only or rule.websocket or rule.redirect_to is not None:
            continue
        for endpoint in _mounted(_endpoints_of(rule, app), mount):
            known = found.get(endpoint.key)
            found[endpoint.key] = endpoint if known is None else _united(known, endpoint)
    return list(found.values())


def _mounted(endpoints: Iterable[Endpoint], mount: str) -> Iterable[Endpoint]:
    if not mount:
        return endpoints
    return [
        replace(
            endpoint,
            template=mount + endpoint.template,
            blueprint=endpoint.blueprint or mount.strip("/").replace("/", "."),
        )
        for endpoint in endpoints
    ]


def _endpoints_of(rule: Rule, app: Any) -> list[Endpoint]:
    template = _VARIABLE.sub(lambda match: "{" + match["name"] + "}", rule.rule)
    parameters = tuple(
        Parameter(Location.PATH, name, gene_for_converter(rule._converters[name]), required=True)
        for name in dict.fromkeys(match["name"] for match in _VARIABLE.finditer(rule.rule))
    )
    view = getattr(app, "view_functions", {}).get(rule.endpoint)
    return [
        Endpoint(
            method=method,
            template=template,
            name=rule.endpoint,
            parameters=parameters,
            blueprint=_blueprint_of(rule, app),
            host=_host_of(rule, app),
            summary=_summary_of(view),
            view=_place_of(view, method),
        )
        for method in methods_to_search(rule, view)
    ]


def _blueprint_of(rule: Rule, app: Any) -> str | None:
    """Return the blueprint before the dot of an endpoint's name, where there is one.

    Any name may contain dots. An application that is not Flask's has no blueprints.
    """
    name: str = rule.endpoint.rpartition(".")[0]
    known = getattr(app, "blueprints", None)
    return name if name and (known is None or name in known) else None


def _host_of(rule: Rule, app: Any) -> str | None:
    """Return the host for which the rule matches, or None when it matches any host."""
    pattern = rule.host
    if pattern is None and rule.subdomain:
        server_name = app.config.get("SERVER_NAME")
        pattern = f"{rule.subdomain}.{server_name}" if server_name else None
    return _VARIABLE.sub("www", pattern) if pattern else None


def code_of(view: Any, method: str) -> Any:
    """Return the code that answers `method`, looking through decorators and views that are classes.

    A view may also be a partial function, or an object that can be called.
    """
    view_class = getattr(view, "view_class", None)
    if view_class is not None:
        name = method.lower()
        view = getattr(view_class, name, None) or getattr(view_class, "dispatch_request", None)
    try:
        view = inspect.unwrap(_bound(view)) if view is not None else None
    except ValueError:  # wrappers form a cycle
        return None
    called = view if hasattr(view, "__code__") else type(view).__call__
    return getattr(called, "__code__", None)


def _bound(view: Any) -> Any:
    """Return the function of which a view is a partial one."""
    while isinstance(view, functools.partial):
        view = view.func
    return view


def _place_of(view: Any, method: str) -> View | None:
    code = code_of(view, method)
    if code is None:
        return None
    lines = [line for _start, _end, line in code.co_lines() if line is not None]
    last = max(lines, default=code.co_firstlineno)
    names = tuple(islice(dict.fromkeys(_names_in(code.co_consts)), MOST_NAMES))
    return View(code.co_filename, code.co_firstlineno, last, names)


def _names_in(constants: Iterable[object]) -> Iterator[str]:
    """Yield the texts among constants that could be names, also those of inner functions."""
    for constant in constants:
        if isinstance(constant, str) and constant.isidentifier():
            yield constant
        elif isinstance(constant, (tuple, frozenset)):
            # A set has another order in each process.
            yield from sorted(_names_in(constant))
        elif isinstance(constant, CodeType):
            yield from _names_in(constant.co_consts)


def _summary_of(view: Any) -> str:
    text = inspect.getdoc(view) if view is not None else None
    return (text or "").partition("\n")[0]


def _united(known: Endpoint, other: Endpoint) -> Endpoint:
    """Let the path parameters of `known` accept those values of `other`, too."""
    genes = {parameter.key: parameter.gene for parameter in other.parameters}
    return replace(
        known,
        parameters=tuple(
            replace(parameter, gene=ChoiceGene(alternatives=(parameter.gene, genes[parameter.key])))
            if parameter.gene != genes.get(parameter.key, parameter.gene)
            else parameter
            for parameter in known.parameters
        ),
    )


def select_endpoints(
    endpoints: Iterable[Endpoint], only: Sequence[str] = (), skip: Sequence[str] = ("static",)
) -> list[Endpoint]:
    """Return the endpoints that match a pattern of `only` (if any) and none of `skip`.

    A pattern is a glob over ``GET /api/*``, a path, an endpoint name or a blueprint; ``static``
    also matches the static folders of blueprints, and may match nothing. Raises `InvalidSetting`
    with a suggestion when any other pattern matches nothing.
    """
    known = list(endpoints)
    named = [("--evosearch-only", pattern) for pattern in only]
    named += [("--evosearch-skip", pattern) for pattern in skip if pattern != STATIC]
    for flag, pattern in named:
        if not any(_matches(endpoint, pattern) for endpoint in known):
            raise InvalidSetting(_nothing_matches(flag, pattern, known))
    return [
        endpoint
        for endpoint in known
        if (not only or any(_matches(endpoint, pattern) for pattern in only))
        and not any(_matches(endpoint, pattern) for pattern in skip)
    ]


def _matches(endpoint: Endpoint, pattern: str) -> bool:
    if pattern == STATIC:
        return endpoint.name == STATIC or endpoint.name.endswith(".static")
    subjects = [endpoint.key, endpoint.template, endpoint.name]
    if endpoint.blueprint is not None:
        subjects.append(endpoint.blueprint)
    return any(fnmatchcase(subject, pattern) for subject in subjects)


def _nothing_matches(flag: str, pattern: str, known: Sequence[Endpoint]) -> str:
    names = [name for endpoint in known for name in (endpoint.key, endpoint.name)]
    names += [endpoint.blueprint for endpoint in known if endpoint.blueprint]
    return (
        f"{flag}={pattern!r} matches no endpoint{suggestion(pattern, names)} "
        "(write a glob over 'GET /path/{name}', an endpoint name or a blueprint)"
    )
