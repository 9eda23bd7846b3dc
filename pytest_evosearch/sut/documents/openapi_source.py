"""Finds the OpenAPI documents of an application: served, attached to it, or in a file."""

from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from itertools import islice
from pathlib import Path
from typing import Any
from typing import TypeAlias
from urllib.parse import urlsplit

from pytest_evosearch.core.folder_names import FOREIGN
from pytest_evosearch.core.folder_names import TESTS
from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.errors import InvalidSetting
from pytest_evosearch.sut.clients.client import send
from pytest_evosearch.sut.documents.attached_schemas import attached_documents

Document: TypeAlias = "dict[str, Any]"
Source: TypeAlias = "tuple[str, Callable[[], Document | None]]"

_SCHEMA_ROUTE = re.compile(
    r"openapi|swagger|apispec|api[-_]?docs?|/spec|redoc|/schema(?:\.json|\.ya?ml)?$", re.IGNORECASE
)
_PAGES = re.compile(r"swagger-?ui|\.js$|\.css$|\.png$|\.html?$|oauth2-redirect", re.IGNORECASE)
_SERVED = (
    *("/openapi.json", "/openapi.yaml", "/openapi.yml", "/swagger.json", "/swagger.yaml"),
    *("/apispec_1.json", "/apispec.json", "/api/openapi.json", "/api/swagger.json"),
    *("/api/v1/openapi.json", "/api/v1/swagger.json", "/api/v1/_openapi"),
    *("/apidoc/openapi.json", "/openapi/openapi.json", "/docs/openapi.json", "/api-docs"),
    *("/static/openapi.json", "/static/swagger.json", "/static/openapi.yaml"),
    *("/v3/api-docs", "/swagger/v1/swagger.json", "/v2/swagger.json", "/api/v3/openapi.json"),
    "/api/schema",
)
"""Where extensions of Flask, Spring, ASP.NET, Swagger and Django serve a document: what a running
server is asked for, whose routes are not known."""
_YAML = (".yaml", ".yml")
_DEEPEST = 2
"""Levels of folders below the root in which files are looked for."""
_MOST_FOLDERS = 200
_FILES = tuple(
    f"{name}.{kind}" for name in ("openapi", "swagger") for kind in ("json", "yaml", "yml")
)
_REQUESTS_LIMIT = 40
"""Most routes that are requested to find a document."""


@dataclass(frozen=True)
class FoundDocument:
    """An OpenAPI document (2 or 3), and where it comes from."""

    document: Document
    description: str


def find_documents(app: Any, root: Path, client: Any, given: str | None) -> list[FoundDocument]:
    """Return the OpenAPI documents of `app`, the most reliable first.

    `given` is the user's choice, a file (relative to `root` or the current folder) or a route such
    as ``/openapi.json``; raise `InvalidSetting` when it cannot be read. Without `given`, served
    documents come before attached objects. Files, which may be outdated, count where there is
    neither.
    """
    if given is not None:
        return [FoundDocument(*_given(given, root, client, f"--evosearch-schema={given}"))]
    found = _distinct(chain(_served(app, client), _attached(app)))
    return found or _distinct(_files(root))[:1]


def brought_document(value: object, origin: str, root: Path, client: Any) -> FoundDocument:
    """Return the document that the project provides; `origin` says where.

    `value` is a document, its text (JSON or YAML), or a file or route as for
    ``--evosearch-schema``. Raise `InvalidSetting` for anything else.
    """
    document: object = value
    if isinstance(value, Path) or (isinstance(value, str) and _is_place(value)):
        document = _given(str(value), root, client, f"{origin} gives {str(value)!r}")[0]
    elif isinstance(value, str):
        document = parse_document(value)
    if not isinstance(document, dict) or not is_document(document):
        raise InvalidSetting(
            f"{origin} does not give an OpenAPI document: return a dict with a top-level "
            "`openapi` or `swagger` key, a text of JSON or YAML, a path or a route, "
            f"not {value!r:.60}"
        )
    return FoundDocument(document, origin)


def _is_place(text: str) -> bool:
    """Say whether `text` names a file or a route, rather than being a document."""
    return "\n" not in text.strip() and not text.lstrip().startswith("{")


def _distinct(sources: Iterable[Source]) -> list[FoundDocument]:
    """Return the documents that declare something new compared with the documents before."""
    found: list[FoundDocument] = []
    declared: set[object] = set()
    for description, read in sources:
        document = read()
        if document is None:
            continue
        own = set(_operations(document))
        if not found or own - declared:
            found.append(FoundDocument(document, description))
        declared |= own
    return found


def _operations(document: Document) -> Iterator[object]:
    """Yield a name for each operation of `document`, comparable between documents."""
    paths = document.get("paths")
    for path, item in paths.items() if isinstance(paths, dict) else ():
        for method in item if isinstance(item, dict) else ():
            yield f"{_base(document)}{path}", method


def _base(document: Document) -> str:
    """Return the base path of a document."""
    servers = document.get("servers")
    first = servers[0] if isinstance(servers, list) and servers else None
    url = first.get("url") if isinstance(first, dict) else document.get("basePath")
    return urlsplit(str(url or "")).path.rstrip("/")


def parse_document(text: str | bytes) -> Document | None:
    """Return the OpenAPI document in `text` (JSON or YAML), None for another text."""
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


def _given(given: str, root: Path, client: Any, origin: str) -> tuple[Document, str]:
    for path in (root / given, Path(given)):
        if path.is_file():
            return _given_file(path, given, origin)
    if not given.startswith("/") and (root / given).is_dir():
        raise InvalidSetting(
            f"{origin}: it is a folder; give an OpenAPI document (JSON or YAML) "
            "or a route such as /openapi.json"
        )
    if not given.startswith("/"):
        raise InvalidSetting(
            f"{origin}: no such file; give an OpenAPI document (JSON or YAML) "
            "or a route such as /openapi.json"
        )
    response = send(client, method="GET", path=given)
    document = parse_document(response.body) if response.status == 200 else None
    if document is None:
        found = f"answers {response.status}" if response.status != 200 else "serves something else"
        raise InvalidSetting(f"{origin}: the route {found}, not OpenAPI JSON or YAML")
    return document, f"route {given}"


def _given_file(path: Path, given: str, origin: str) -> tuple[Document, str]:
    try:
        document = parse_document(path.read_bytes())
    except OSError as error:
        raise InvalidSetting(f"{origin}: {error.strerror}") from None
    if document is None:
        raise InvalidSetting(
            f"{origin}: neither JSON nor YAML with a top-level `openapi` or `swagger` key"
        )
    return document, f"file {given}"


def _served(app: Any, client: Any) -> Iterator[Source]:
    for path in _places(app):
        yield f"served at {path}", _asking(client, path)


def _places(app: Any) -> list[str]:
    """Return the paths to request for a document.

    An application without rules stands for a running server, whose routes are not known.
    """
    if not any(app.url_map.iter_rules()):
        return list(_SERVED)
    routes = list(dict.fromkeys(_routes(app)))
    stems = {path.removesuffix(".json") for path in routes}
    # Another format of this document would take longer to read.
    routes = [path for path in routes if _without_ending(path) not in stems]
    return routes[:_REQUESTS_LIMIT]


def _routes(app: Any) -> Iterator[str]:
    """Yield paths without arguments that may serve a document, JSON before other formats."""
    matching = []
    for rule in app.url_map.iter_rules():
        if rule.arguments - set(rule.defaults or ()) or "GET" not in (rule.methods or ()):
            continue
        if _SCHEMA_ROUTE.search(rule.rule) and not _PAGES.search(rule.rule):
            matching.append(rule.rule)
    matching.sort(key=lambda path: (not path.endswith((".json", *_YAML)), len(path), path))
    yield from matching
    adapter = app.url_map.bind("localhost")
    for name in _FILES if app.has_static_folder else ():
        path = f"{app.static_url_path}/{name}"
        if _is_static(adapter, app, path):
            yield path


def _without_ending(path: str) -> str | None:
    """Return the path of a YAML document without its ending, None for other paths."""
    return path.rpartition(".")[0] if path.endswith(_YAML) else None


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
    """Yield documents that libraries keep in objects, served or not."""
    for description, read in attached_documents(app):
        yield description, _reading(app, read)


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


def _folders(root: Path, depth: int = _DEEPEST) -> Iterator[Path]:
    """Yield a folder and those below it that may hold documents of the project itself."""
    yield root
    with suppress(OSError):
        for folder in sorted(root.iterdir()) if depth else ():
            is_foreign = folder.name in FOREIGN | TESTS or (folder / "pyvenv.cfg").exists()
            if not folder.name.startswith(".") and not is_foreign and folder.is_dir():
                yield from _folders(folder, depth - 1)


def _files(root: Path) -> Iterator[Source]:
    for folder in islice(_folders(root), _MOST_FOLDERS):
        for name in _FILES:
            path = folder / name
            if path.is_file():
                yield f"file {path.relative_to(root).as_posix()}", _reading_file(path)


def _reading_file(path: Path) -> Callable[[], Document | None]:
    def read() -> Document | None:
        with suppress(OSError):
            return parse_document(path.read_bytes())
        return None

    return read
