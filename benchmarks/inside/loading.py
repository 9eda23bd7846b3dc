"""Makes the application that a line of Python describes, as in `benchmarks.applications`."""

from __future__ import annotations

import ast
import importlib.util
import sys
from typing import Any


def load(creation: str) -> Any:
    """Execute all but the last expression of `creation`, and return the Flask application.

    A line that only imports the application, as ``from httpbin import app``, names it last.
    """
    sys.path.insert(0, ".")
    tree = ast.parse(creation)
    names: dict[str, Any] = {}
    last = tree.body[-1]
    if isinstance(last, ast.Expr):
        exec(compile(ast.Module(tree.body[:-1], []), "<creation>", "exec"), names)
        return eval(compile(ast.Expression(last.value), "<creation>", "eval"), names)
    exec(compile(tree, "<creation>", "exec"), names)
    assert isinstance(last, ast.ImportFrom)
    return names[last.names[-1].asname or last.names[-1].name]


def users() -> dict[str, Any]:
    """Return who may send requests, where the project has a module that says so."""
    if importlib.util.find_spec("application") is None:
        return {}
    module = importlib.import_module("application")
    return dict(module.users()) if hasattr(module, "users") else {}
