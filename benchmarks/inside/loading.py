"""Makes the application that a line of Python describes, as in `benchmarks.applications`.

Also finds what is told of it to tools that do not look inside: its users, its OpenAPI document.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import runpy
import sys
from pathlib import Path
from typing import Any

DOCUMENTS = Path(__file__).parents[1] / "documents"
"""NAME.json is the OpenAPI document of an application, NAME_users.py says who may log in."""


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


def users(name: str) -> dict[str, Any]:
    """Return who may send requests, as a module of the project or beside the document says."""
    beside = DOCUMENTS / f"{name}_users.py"
    if beside.exists():
        return dict(runpy.run_path(str(beside))["users"]())
    if importlib.util.find_spec("application") is None:
        return {}
    module = importlib.import_module("application")
    return dict(module.users()) if hasattr(module, "users") else {}


def written_document(name: str) -> dict[str, Any] | None:
    """Return the OpenAPI document that was written for an application that serves none."""
    path = DOCUMENTS / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
