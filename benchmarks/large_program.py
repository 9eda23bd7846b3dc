"""Makes a program of the size of FlexGet: hundreds of modules of which a test uses a few.

486 modules, 24,000 branches, 9,000 containers in module globals and classes: what comes back
between tests, and what has probes, is as much as there, and what a call changes is as little.
"""

from __future__ import annotations

from pathlib import Path

MODULES = 486

_MODULE = '''\
"""Part {number} of a large program."""

SCHEMA = {{
    "type": "object",
    "properties": {{
        name: {{"type": "string", "enum": ["a", "b", name]}} for name in ("one", "two", "three")
    }},
    "required": ["one", "two"],
}}
ALIASES = [["{number}", "part"], ["part", "{number}"]]
STATE = {{"seen": 0}}
LIMIT = {number}


class Plugin:
    """Decides something about an entry."""

    schema = SCHEMA
    handled = []
    priority = {number}

    def __init__(self):
        self.options = {{"limit": LIMIT, "names": list(SCHEMA["properties"])}}


PLUGIN = Plugin()


def counted(entry):
    """Count an entry."""
    STATE["seen"] += 1
    return STATE["seen"]


'''

_FUNCTION = '''\
def decide_{number}(entry):
    """Look at an entry."""
    size = int(entry.get("size", 0) or 0)
    if size > {limit} and entry.get("kind") == "kind{number}":
        return "large"
    if size < -{limit} or entry.get("name", "").startswith("{number}-"):
        return "small"
    for tag in entry.get("tags", ()):
        if tag == "tag{number}":
            return tag
    return "plain"


'''
FUNCTIONS = 6
"""Of a module; each has 8 branches."""

_APPLICATION = '''\
"""The application: a page for every tenth part."""

import importlib

from flask import Flask
from flask import jsonify
from flask import request

PARTS = [importlib.import_module(f"large.part_{{number}}") for number in range({modules})]


def create_app():
    """Return the application."""
    app = Flask("large")
    for number in range(0, len(PARTS), 10):
        app.add_url_rule(f"/parts/{{number}}", f"part{{number}}", view_of(PARTS[number]))
    return app


def view_of(part):
    """Return the view of a part."""

    def view():
        entry = {{name: request.args.get(name, "") for name in ("size", "kind", "name")}}
        if not entry["size"].lstrip("-").isdigit():
            return jsonify(error="no size"), 400
        decisions = [vars(part)[f"decide_{{number}}"](entry) for number in range({functions})]
        return jsonify(decisions=decisions, seen=part.counted(entry))

    return view
'''

_CONFTEST = """\
import pytest
from large.application import create_app


@pytest.fixture
def app():
    return create_app()


@pytest.fixture
def client(app):
    return app.test_client()
"""


def write_program(folder: Path, modules: int = MODULES) -> None:
    """Write a project with the package ``large``, and fixtures for it."""
    package = folder / "large"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text('"""A large program."""\n', encoding="utf-8")
    for number in range(modules):
        functions = (_FUNCTION.format(number=one, limit=10**one) for one in range(FUNCTIONS))
        text = _MODULE.format(number=number) + "".join(functions)
        (package / f"part_{number}.py").write_text(text, encoding="utf-8")
    application = _APPLICATION.format(modules=modules, functions=FUNCTIONS)
    (package / "application.py").write_text(application, encoding="utf-8")
    (folder / "conftest.py").write_text(_CONFTEST, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
