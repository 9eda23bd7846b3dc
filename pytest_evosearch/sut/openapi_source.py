"""Finds the OpenAPI document of an application: served, attached to it, or in a file."""

from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any
from typing import TypeAlias

from pytest_evosearch.core.isolation import json
from pytest_evosearch.errors import InvalidSetting
from pytest_evosearch.sut.client import send

Document: TypeAlias = "dict[str, Any]"

_SCHEMA_ROUTE = re.compile(
    r"openapi|swagger|apispec|api[-_]?docs?|/spec|redoc|/schema(?:\.json|\.ya?ml)?$", re.IGNORECASE
)
_PAGES = re.compile(r"swagger-?ui|\.js$|\.css$|\.png$|\.html?$|oauth2-redirect", re.IGNORECASE)
_WELL_KNOWN = (
    "/openapi.json",
    "/openapi.yaml",
    "/openapi.yml",
    "/swagger.json",
    "/swagger.yaml",
    "/apispec_1.json",
    "/apispec.json",
    "/api/openapi.json",
    "/api/swagger.json",
    "/api/v1/openapi.json",
    "/api/v1/swagger.json",
    "/api/v1/_openapi",
    "/apidoc/openapi.json",
    "/openapi/openapi.json",
    "/docs/openapi.json",
    "/api-docs",
    "/static/openapi.json",
    "/static/swagger.json",
    "/static/openapi.yaml",
)
_FOLDERS = ("", "docs", "doc", "static", "specs", "spec", "api", "openapi", "app/static", "schemas")
_FILES = tuple(
    f"{name}.{kind}" for name in ("openapi", "swagger") for kind in ("json", "yaml", "yml")
)
_REQUESTS_LIMIT = 40
"""Routes that are asked for a document at most."""


def find_schema(
    app: Any, root: Path, client: Any, given: str | None
) -> tuple[Document | None, str]:
    """Return the OpenAPI document (2 or 3) of `app` and where it was found.

    `given` is the user's choice, a file (relative to `root` or the current folder) or a
    route such as ``/openapi.json``; raise `InvalidSetting` when it cannot be read.
    Without it, served documents are preferred to attached objects and these to files.
    """
    if given is not None:
        return _given(given, root, client)
    sources: Iterable[tuple[str, Callable[[], Document | None]]] = (
        *_served(app, client),
        *_attached(app),
        *_files(root),
    )
    for description, read in sources:
        document = read()
        if document is not None:
            return document, description
    return None, "none found; learning parameters from reads"


def parse_document(text: str | bytes) -> Document | None:
    """Return the OpenAPI document in `text` (JSON or YAML), None when it is something else."""
    try:
        value = json.loads(text)
    except ValueError:
        value = _parse_yaml(text)
    return value if is_document(value) else None


def is_document(value: object) -> bool:
    """Say whether `value` looks like an OpenAPI 2 or 3 document."""
    return isinstance(value, dict) and ("openapi" in value or "swagger" in value)


def _parse_yaml(text: str | bytes) -> object:
    try:
        import yaml

        return yaml.safe_load(text)
    except Exception:
        return None


def _given(given: str, root: Path, client: Any) -> tuple[Document, str]:
    for path in (root / given, Path(given)):
        if path.is_file():
            return _given_file(path, given)
    if not given.startswith("/"):
        raise InvalidSetting(
            f"--evosearch-schema={given}: no such file; give an OpenAPI document (JSON or YAML) "
            "or a route such as /openapi.json"
        )
    response = send(client, method="GET", path=given)
    document = parse_document(response.body) if response.status == 200 else None
    if document is None:
        found = f"answers {response.status}" if response.status != 200 else "serves something else"
        raise InvalidSetting(
            f"--evosearch-schema={given}: the route {found}, not OpenAPI JSON or YAML"
        )
    return document, f"route {given}"


def _given_file(path: Path, given: str) -> tuple[Document, str]:
    try:
        document = parse_document(path.read_bytes())
    except OSError as error:
        raise InvalidSetting(f"--evosearch-schema={given}: {error.strerror}") from None
    if document is None:
        raise InvalidSetting(
            f"--evosearch-schema={given}: neither JSON nor YAML with a top-level `openapi` or "
            "`swagger` key"
        )
    return document, f"file {given}"


Source: TypeAlias = "tuple[str, Callable[[], Document | None]]"


def _served(app: Any, client: Any) -> Iterator[Source]:
    for path in list(dict.fromkeys(_routes(app)))[:_REQUESTS_LIMIT]:
        yield f"served at {path}", _asking(client, path)


def _routes(app: Any) -> Iterator[str]:
    """Yield paths without arguments that may serve a document, JSON before other formats."""
    matching, exact = [], set()
    for rule in app.url_map.iter_rules():
        if rule.arguments - set(rule.defaults or ()) or "GET" not in (rule.methods or ()):
            continue
        exact.add(rule.rule)
        if _SCHEMA_ROUTE.search(rule.rule) and not _PAGES.search(rule.rule):
            matching.append(rule.rule)
    matching.sort(key=lambda path: (not path.endswith((".json", ".yaml", ".yml")), len(path), path))
    yield from matching
    adapter = app.url_map.bind("localhost")
    for path in _WELL_KNOWN:
        if path in exact or _is_static(adapter, app, path):
            yield path


def _is_static(adapter: Any, app: Any, path: str) -> bool:
    """Say whether `path` names an existing file of the application's static folder."""
    prefix = f"{app.static_url_path}/" if app.has_static_folder else None
    if prefix is None or not path.startswith(prefix):
        return False
    with suppress(Exception):
        adapter.match(path, method="GET")
        return (Path(app.static_folder) / path[len(prefix) :]).is_file()
    return False


def _asking(client: Any, path: str) -> Callable[[], Document | None]:
    def ask() -> Document | None:
        response = send(client, method="GET", path=path)
        if response.status != 200 or response.error is not None:
            return None
        if response.body.lstrip()[:1] == b"<":
            return None
        return parse_document(response.body)

    return ask


def _attached(app: Any) -> Iterator[Source]:
    """Yield the documents of libraries that keep them on the application, served or not."""
    extensions = app.extensions
    if smorest := extensions.get("flask-smorest"):
        for entry in dict(smorest.get("apis", {})).values():
            yield "flask-smorest", _reading(app, partial(_smorest_document, entry["ext_obj"]))
    if restx := extensions.get("restx") or extensions.get("restplus"):
        yield "flask-restx", _reading(app, lambda: restx.__schema__)
    if apifairy := extensions.get("apifairy"):
        yield "APIFairy", _reading(app, lambda: json.loads(apifairy.apispec))
    for name in ("spec", "api_doc"):
        if hasattr(type(app), name) or name in vars(app):
            yield f"app.{name}", _reading(app, partial(getattr, app, name))


def _smorest_document(api: Any) -> Any:
    return api.spec.to_dict()


def _reading(app: Any, read: Callable[[], Any]) -> Callable[[], Document | None]:
    def attempt() -> Document | None:
        try:
            with app.test_request_context():
                value = read()
        except Exception:
            return None
        if isinstance(value, (str, bytes)):
            return parse_document(value)
        return value if is_document(value) else None

    return attempt


def _files(root: Path) -> Iterator[Source]:
    for folder in _FOLDERS:
        for name in _FILES:
            path = root / folder / name
            if path.is_file():
                yield f"file {path.relative_to(root).as_posix()}", _reading_file(path)


def _reading_file(path: Path) -> Callable[[], Document | None]:
    def read() -> Document | None:
        with suppress(OSError):
            return parse_document(path.read_bytes())
        return None

    return read
