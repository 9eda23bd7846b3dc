"""Applications that only tests make are told from the one that the project serves."""

from __future__ import annotations

import sys
from functools import wraps
from pathlib import Path
from types import ModuleType
from typing import Any

from flask import Flask
from flask.views import MethodView
from werkzeug.middleware.dispatcher import DispatcherMiddleware

from pytest_evosearch.sut.finding.own_endpoints import serves_something
from pytest_evosearch.sut.finding.own_endpoints import serves_the_project

ROOT = Path("/club")
TEST = ROOT / "tests" / "test_club.py"
OWN = ROOT / "club.py"
LIBRARY = ROOT / "env" / "site-packages" / "pages.py"


def view_in(path: Path) -> Any:
    """Return a view whose code lies in `path`."""
    namespace: dict[str, Any] = {}
    exec(compile("def view(): return 'a'", str(path), "exec"), namespace)
    return namespace["view"]


def app_with(*views: Any, name: str = "tests.test_club") -> Flask:
    app = Flask(name, root_path=str(ROOT))
    for number, view in enumerate(views):
        app.add_url_rule(f"/{number}", f"view_{number}", view)
    return app


def is_the_projects(app: Flask) -> bool:
    return serves_the_project(app, ROOT, {TEST})


def test_a_bare_application_serves_nothing() -> None:
    assert not serves_something(app_with())
    assert not is_the_projects(app_with())


def test_a_view_of_a_test_is_none_of_the_project() -> None:
    assert serves_something(app_with(view_in(TEST)))
    assert not is_the_projects(app_with(view_in(TEST)))
    assert is_the_projects(app_with(view_in(TEST), view_in(OWN)))


def test_a_decorator_of_the_project_does_not_make_it_the_owner_of_a_tests_view() -> None:
    inner = view_in(TEST)
    assert not is_the_projects(app_with(wraps(inner)(lambda: inner())))


def test_views_of_a_library_belong_to_who_made_the_application(monkeypatch) -> None:
    module = ModuleType("club")
    module.__file__ = str(OWN)
    monkeypatch.setitem(sys.modules, "club", module)
    assert is_the_projects(app_with(view_in(LIBRARY), name="club"))
    assert not is_the_projects(app_with(view_in(LIBRARY)))


def test_views_of_packages_that_are_to_be_searched_count() -> None:
    view = view_in(LIBRARY)
    view.__module__ = "wiki.pages.front"
    for named in ("wiki", "wiki.pages"):
        assert serves_the_project(app_with(view), ROOT, {TEST}, [named])
    for other in ("wik", "pages"):
        assert not serves_the_project(app_with(view), ROOT, {TEST}, [other])


def test_the_class_of_a_view_counts(monkeypatch) -> None:
    module = ModuleType("club")
    module.__file__ = str(OWN)
    monkeypatch.setitem(sys.modules, "club", module)
    kind = type("Page", (MethodView,), {"__module__": "club", "get": view_in(LIBRARY)})
    assert is_the_projects(app_with(kind.as_view("page")))


def test_what_is_mounted_counts() -> None:
    app = app_with()
    dispatcher: Any = DispatcherMiddleware(app.wsgi_app, {"/club": app_with(view_in(OWN))})
    app.wsgi_app = dispatcher  # type: ignore[method-assign]
    assert serves_something(app)
    assert is_the_projects(app)
