"""What a schema declares about the application, merged with its routes.

This is the public face of the schema reader. `endpoints_from_openapi` reads a document,
`gene_from_schema` one JSON schema. `merge_schema` merges declared and routed endpoints, and
`described_endpoints` does so for all documents of an application.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from pytest_evosearch.problem.http.descriptions.declared_values import values_in_paths
from pytest_evosearch.problem.http.descriptions.declared_values import values_written
from pytest_evosearch.problem.http.descriptions.json_schema import gene_from_schema
from pytest_evosearch.problem.http.descriptions.openapi import SchemaReading
from pytest_evosearch.problem.http.descriptions.openapi import endpoints_from_openapi
from pytest_evosearch.problem.http.descriptions.united_documents import Document
from pytest_evosearch.problem.http.descriptions.united_documents import dialect
from pytest_evosearch.problem.http.descriptions.united_documents import in_one_namespace
from pytest_evosearch.problem.http.descriptions.united_documents import union
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import Parameter

__all__ = [
    "Description",
    "SchemaReading",
    "described_endpoints",
    "endpoints_from_openapi",
    "gene_from_schema",
    "merge_schema",
]

_PLACEHOLDER = re.compile(r"\{[^{}]*\}")

TRUSTED_SHARE = 0.5
"""Share of matches from which on the routes decide, and other declarations are outdated."""


class Description(NamedTuple):
    """What the documents of an application declare about its endpoints."""

    endpoints: tuple[Endpoint, ...]
    notices: list[str]
    """A line for every part that could not be read."""
    document: Document | None
    """The document that all references of an `Endpoint.operation` lead into; None without one."""
    values: tuple[tuple[str, str], ...] = ()
    """Names of path parameters, each with a value from a document's path."""


def described_endpoints(routed: Sequence[Endpoint], found: Sequence[Document]) -> Description:
    """Return the routed endpoints with the declarations of all documents; the first one wins.

    A later document only adds details to routed endpoints. Documents in another dialect
    than the first give values but no promises.
    """
    notices: list[str] = []
    endpoints = tuple(routed)
    documents = in_one_namespace(found)
    promising = [one for one in documents if dialect(one) == dialect(documents[0])]
    values: dict[tuple[str, str], None] = {}
    for document in documents:
        declared, unread = endpoints_from_openapi(document)
        notices += unread
        values.update(dict.fromkeys(values_in_paths(routed, declared)))
        if document not in promising:
            declared = [
                replace(one, statuses=(), responses={}, operation={}, fields={}) for one in declared
            ]
        merged = merge_schema(endpoints, declared)
        endpoints = merged if document is documents[0] else merged[: len(endpoints)]
    united = union(promising) if promising else None
    return Description(endpoints, notices, united, tuple(values))


def merge_schema(routed: Sequence[Endpoint], declared: Sequence[Endpoint]) -> tuple[Endpoint, ...]:
    """Return the routed endpoints, enriched by what the schema declares for them.

    They match by method and template, whatever the placeholders are called and wherever the
    application is mounted.  A document that writes ``/users/3`` means the route ``/users/{id}``.
    The route's names and hosts win; the more specific gene wins; a parameter that only one side
    knows is kept.  Declarations without a route are left out, unless most have none: then the
    routes live elsewhere (ASGI, dispatching, black box).
    """
    partners = _partners(routed, declared)
    merged = [_enriched(endpoint, partners.get(endpoint.key)) for endpoint in routed]
    matched = [partner.key for partner in partners.values()]
    matched += [one.key for one in declared if any(_writes_out(one, route) for route in routed)]
    if len(set(matched)) < TRUSTED_SHARE * len(declared):
        keys = [endpoint.key for endpoint in merged]
        merged += [
            endpoint
            for endpoint in declared
            if endpoint.key not in matched and endpoint.key not in keys
        ]
    return tuple(merged)


def _partners(routed: Sequence[Endpoint], declared: Sequence[Endpoint]) -> dict[str, Endpoint]:
    """Return, by the key of a routed endpoint, its declaration."""
    exactly = {_shape(endpoint): endpoint for endpoint in declared}
    shapes = [_shape(endpoint) for endpoint in routed]
    # An endpoint with a route of its own describes no other one.
    unclaimed = [endpoint for shape, endpoint in exactly.items() if shape not in shapes]
    partners = {}
    for endpoint in routed:
        partner = exactly.get(_shape(endpoint)) or _written_out(endpoint, unclaimed)
        partner = partner or _mounted_elsewhere(endpoint, unclaimed)
        if partner is not None:
            partners[endpoint.key] = partner
    return partners


def _written_out(endpoint: Endpoint, declared: Iterable[Endpoint]) -> Endpoint | None:
    """Return the first declaration that writes values where the endpoint has placeholders."""
    return next((one for one in declared if _writes_out(one, endpoint)), None)


def _writes_out(declared: Endpoint, routed: Endpoint) -> bool:
    """Say whether a declaration is the address of a route with values for all placeholders.

    A route that consists of placeholders matches every address, and so confirms none.
    """
    named = _shape(routed)[1].replace("{}", "").strip("/")
    if declared.placeholders or not named or declared.method != routed.method:
        return False
    return bool(values_written(routed.template, declared.template))


def _shape(endpoint: Endpoint) -> tuple[str, str]:
    """Return the method and the template without the names of its placeholders."""
    template = _PLACEHOLDER.sub("{}", endpoint.template)
    return endpoint.method, template.rstrip("/") or "/"


def _mounted_elsewhere(endpoint: Endpoint, declared: Iterable[Endpoint]) -> Endpoint | None:
    """Return the only declaration whose template differs from this one by a prefix.

    A document's servers include the prefix of a proxy, while prefixes of blueprints are often not
    declared.
    """
    method, template = _shape(endpoint)
    found = [
        candidate
        for candidate in declared
        if candidate.method == method and _is_suffix(template, _shape(candidate)[1])
    ]
    return found[0] if len(found) == 1 else None


def _is_suffix(one: str, other: str) -> bool:
    """Say whether the shorter path, if not empty, ends the longer one."""
    shorter, longer = sorted((one, other), key=len)
    return longer.endswith(shorter) and shorter.replace("{}", "").strip("/") != ""


def _enriched(routed: Endpoint, declared: Endpoint | None) -> Endpoint:
    if declared is None:
        return routed
    names = _placeholder_names(routed, declared)
    parameters = {parameter.key: parameter for parameter in routed.parameters}
    for given in declared.parameters:
        parameter = _renamed(given, names)
        if parameter is None:
            continue
        known = parameters.get(parameter.key)
        parameters[parameter.key] = parameter if known is None else _united(known, parameter)
    # Promises of one document are not mixed with those of another.
    promising = routed if routed.operation else declared
    return replace(
        routed,
        parameters=tuple(parameters.values()),
        statuses=promising.statuses or routed.statuses,
        responses=promising.responses,
        operation=promising.operation,
        fields=promising.fields,
        summary=routed.summary or declared.summary,
    )


def _placeholder_names(routed: Endpoint, declared: Endpoint) -> Mapping[str, str]:
    """Map the schema's names of path parameters to the route's, matched from the end."""
    theirs, ours = declared.placeholders, routed.placeholders
    return dict(zip(reversed(theirs), reversed(ours), strict=False))


def _renamed(parameter: Parameter, names: Mapping[str, str]) -> Parameter | None:
    if parameter.location is not Location.PATH:
        return parameter
    name = names.get(parameter.name)
    return None if name is None else replace(parameter, name=name)


def _united(known: Parameter, declared: Parameter) -> Parameter:
    gene = known.gene.merged(declared.gene)
    return replace(
        declared,
        gene=gene,
        required=known.required or declared.required,
        content_type=declared.content_type or known.content_type,
    )
