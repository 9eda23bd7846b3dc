"""Finds OpenAPI documents that libraries keep in objects, even without serving them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from collections.abc import Iterator
from functools import partial
from typing import Any
from typing import TypeAlias

from pytest_evosearch.sut.asgi import front_of
from pytest_evosearch.sut.decorations import closure
from pytest_evosearch.sut.decorations import is_made_by
from pytest_evosearch.sut.decorations import layers
from pytest_evosearch.sut.state.application_state import functions_of

Attachment: TypeAlias = "tuple[str, Callable[[], Any]]"
"""Name of a document, and a function that returns it as a mapping or as text."""


def attached_documents(app: Any) -> Iterator[Attachment]:
    """Yield the documents of libraries of `app`; reading needs a request context and may raise."""
    extensions = app.extensions
    if smorest := extensions.get("flask-smorest"):
        for entry in dict(smorest.get("apis", {})).values():
            yield "flask-smorest", partial(_smorest_document, entry["ext_obj"])
    for name in ("spec", "api_doc"):
        if hasattr(type(app), name) or name in vars(app):
            yield f"app.{name}", partial(getattr, app, name)
    yield from _of_flasgger(app)
    yield from _of_appbuilder(app)
    front = front_of(app)
    if front is not None:
        for api in getattr(front.connexion.middleware, "apis", ()):
            yield "Connexion", partial(_connexion_document, api)
    yield from _of_decorators(app)


def _smorest_document(api: Any) -> Any:
    return api.spec.to_dict()


def _of_flasgger(app: Any) -> Iterator[Attachment]:
    swagger = vars(app).get("swag")
    if swagger is None or not is_made_by(swagger, "flasgger", "Swagger"):
        return
    for specification in swagger.config.get("specs", ()):
        yield "flasgger", partial(swagger.get_apispecs, specification["endpoint"])


def _of_appbuilder(app: Any) -> Iterator[Attachment]:
    """Yield a document for each API version of Flask-AppBuilder, which hides its own."""
    builder = vars(app).get("appbuilder") or app.extensions.get("appbuilder")
    manager = sys.modules.get("flask_appbuilder.api.manager")
    if builder is None or manager is None:
        return
    described = [view for view in builder.baseviews if hasattr(view, "add_api_spec")]
    for version in dict.fromkeys(view.version for view in described):
        views = [view for view in described if view.version == version]
        yield "Flask-AppBuilder", partial(_appbuilder_document, manager, version, views)


def _appbuilder_document(manager: Any, version: str, views: list[Any]) -> Any:
    document = manager.OpenApi._create_api_spec(version)
    for view in views:
        view.add_api_spec(document)
    return document.to_dict()


def _connexion_document(api: Any) -> Any:
    """Return the document of an API of Connexion 2 or 3, under the path where it is mounted."""
    specification = api.specification
    if api.base_path is not None:  # set where it was added; else the document's own path counts
        specification = specification.with_base_path(api.base_path)
    return specification.raw


def _of_decorators(app: Any) -> Iterator[Attachment]:
    """Yield documents of libraries that only leave decorators on the application."""
    known: dict[int, Attachment] = {}
    for name in ("restx", "restplus"):  # the last of several APIs
        if api := app.extensions.get(name):
            known[id(api)] = _restx(api)
    for value in _held(app):
        attachment = _document_of(value)
        if attachment is not None:
            known.setdefault(id(value), attachment)
    yield from known.values()


def _held(app: Any) -> Iterator[Any]:
    """Yield the objects in closures of views, hooks and error handlers, and of their decorators."""
    functions: list[Any] = [function for _place, function in functions_of(app)]
    classes = [getattr(view, "view_class", None) for view in app.view_functions.values()]
    functions += [
        getattr(one, name.lower(), None) for one in classes if one for name in one.methods or ()
    ]
    held = [closure(layer) for function in functions for layer in layers(function)]
    for value in {id(value): value for values in held for value in values.values()}.values():
        yield value
        if type(value).__module__.startswith("connexion."):
            yield getattr(value, "api", None)


def _restx(api: Any) -> Attachment:
    return "flask-restx", lambda: api.__schema__


def _document_of(value: Any) -> Attachment | None:
    if is_made_by(value, "flask_restx", "Api") or is_made_by(value, "flask_restplus", "Api"):
        return _restx(value)
    if is_made_by(value, "apifairy", "APIFairy"):
        return "APIFairy", lambda: value.apispec
    if is_made_by(value, "spectree", "SpecTree") and hasattr(value, "app"):
        return "spectree", lambda: value.spec
    if is_made_by(value, "connexion.apis", "AbstractAPI"):
        return "Connexion", partial(_connexion_document, value)
    return None
