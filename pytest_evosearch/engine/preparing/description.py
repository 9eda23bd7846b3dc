"""What is searched: the endpoints of the application, with all that documents say about them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from pytest_evosearch.engine.extensions import Extensions
from pytest_evosearch.engine.preparing.graphql import graphql_operations
from pytest_evosearch.engine.preparing.page_endpoints import endpoints_of_pages
from pytest_evosearch.errors import NothingToGenerate
from pytest_evosearch.instrument.recording import Recording
from pytest_evosearch.problem.http.descriptions.routes import endpoints_from_url_map
from pytest_evosearch.problem.http.descriptions.routes import select_endpoints
from pytest_evosearch.problem.http.descriptions.schema import Description
from pytest_evosearch.problem.http.descriptions.schema import described_endpoints
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.settings.checked import Settings
from pytest_evosearch.sut.documents.openapi_source import FoundDocument
from pytest_evosearch.sut.documents.openapi_source import brought_document
from pytest_evosearch.sut.documents.openapi_source import find_documents
from pytest_evosearch.sut.finding.mounted import mounted_applications
from pytest_evosearch.sut.handle import AppHandle
from pytest_evosearch.sut.surroundings import project_modules


def describe(
    settings: Settings,
    handle: AppHandle,
    recording: Recording | None,
    extensions: Extensions,
    notices: list[str],
) -> tuple[str, Description]:
    """Return where a schema was found, and the endpoints to search with its descriptions.

    Lines for the user are added to `notices`.  Raise `NothingToGenerate` where no endpoint is left.
    """
    routed = routed_endpoints(handle.app)
    found = _documents(settings, handle, extensions)
    modules = application_modules(settings, handle, recording)
    operations, addresses = graphql_operations(handle, recording, routed, modules)
    if handle.outside and not found:
        routed = endpoints_of_pages(handle, others=bool(operations))
    described = described_endpoints(routed, [one.document for one in found])
    notices.extend(described.notices)
    known = (*described.endpoints, *operations)
    selected = tuple(select_endpoints(known, settings.application.only, settings.application.skip))
    if selected and extensions.keeps is not None:
        selected = tuple(endpoint for endpoint in selected if extensions.keeps(endpoint))
        if not selected:
            raise NothingToGenerate(_without_kept_endpoints(handle.description, len(routed)))
    if not selected:
        raise NothingToGenerate(_without_endpoints(handle.description, routed))
    places = dict.fromkeys([*(one.description for one in found), *addresses])
    unknown = "links and forms of pages" if handle.outside else "learning parameters from reads"
    summary = ", ".join(places) or f"none found; {unknown}"
    return summary, described._replace(endpoints=selected)


def routed_endpoints(app: Any) -> list[Endpoint]:
    """Return the endpoints of `app` and of the applications that are mounted below it."""
    mounts = [("", app), *mounted_applications(app)]
    return [endpoint for path, one in mounts for endpoint in endpoints_from_url_map(one, path)]


def _documents(
    settings: Settings, handle: AppHandle, extensions: Extensions
) -> list[FoundDocument]:
    """Return the OpenAPI documents: the user's, else the project's, else those that are found."""
    client = handle.make_client()
    if settings.application.schema is None and extensions.schema is not None:
        given = extensions.schema(None if handle.outside else handle.app)
        if given is not None:
            return [brought_document(given.document, given.origin, settings.rootdir, client)]
    return find_documents(handle.app, settings.rootdir, client, settings.application.schema)


def _without_endpoints(application: str, routed: Sequence[Endpoint]) -> str:
    if any(endpoint.name != "static" for endpoint in routed):
        return (
            f"no endpoint of {application} is left to search: the application has {len(routed)}, "
            "see --evosearch-only and --evosearch-skip"
        )
    return (
        f"no endpoint to search: {application} serves nothing but static files; if its routes are "
        "added after it was made (by a main function), name a function that adds them and returns "
        "it with --evosearch-app=module:function, or give the tests a `client` fixture"
    )


def _without_kept_endpoints(application: str, routed: int) -> str:
    return (
        f"no endpoint of {application} is left to search: the application has {routed}, and the "
        "hook pytest_evosearch_select_endpoint keeps none of those that --evosearch-only and "
        "--evosearch-skip leave"
    )


def application_modules(
    settings: Settings, handle: AppHandle, recording: Recording | None
) -> list[Any]:
    """Return the modules whose globals are state; without probes the project's loaded modules."""
    if handle.outside:
        return []
    if recording is None:
        return project_modules(settings.rootdir)
    names = [entry.name for entry in recording.catalog.modules()]
    return [sys.modules[name] for name in names if name in sys.modules]
