"""What a user would call an application: ``flaskr.create_app()``, ``hello.app``."""

from __future__ import annotations

import ast
import sys
import textwrap
from typing import Any

from pytest_evosearch.bridge.applications.fixture_candidates import FixtureSite


def expression_of(site: FixtureSite, application: Any) -> str:
    """Name `application` by what its fixture does; empty when the source does not show it.

    Either the fixture uses an object of its module that *is* the application, or it calls an
    imported function whose name suggests an application.
    """
    namespace: dict[str, Any] = getattr(site.function, "__globals__", {})
    try:
        tree = ast.parse(textwrap.dedent(site.source))
    except SyntaxError:
        return ""
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    if any(namespace.get(name) is application for name in names):
        return _module_level_name(application)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            factory = namespace.get(node.func.id)
            if "app" in node.func.id.lower() and callable(factory):
                return f"{getattr(factory, '__module__', '?')}.{node.func.id}()"
    return ""


def _module_level_name(application: Any) -> str:
    return f"{application.import_name}.{_variable_of(application)}"


def _variable_of(application: Any) -> str:
    module = sys.modules.get(application.import_name)
    for name, value in vars(module).items() if module is not None else ():
        if value is application:
            return str(name)
    return "app"
