"""Adds a fixture to a conftest.py of this tool, and completes an older one."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from pytest_evosearch.sut.handle import Support

EMPTY = '''\
"""Fixtures for the tests in this folder, written once by pytest-evosearch.

Edit them as you like: pytest-evosearch never overwrites this file.
"""

import pytest
'''

_IMPORTS = ("import ", "from ")


def with_fixture(conftest: str | None, imports: Sequence[str], fixture: str) -> str:
    """Return a conftest.py with one more fixture.

    `conftest` is the text of one that this tool has written, None for none. `imports` come from the
    standard library. `fixture` is the source, which begins and ends with a line break.
    """
    lines = (conftest or EMPTY).splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith(_IMPORTS))
    end = next((place for place in range(start, len(lines)) if not lines[place]), len(lines))
    block = lines[start:end]
    if any("pytest" in line for line in block):  # no import of the standard library yet
        block = [*imports, "", *block]
    else:
        block = sorted({*imports, *block}, key=lambda line: (line.startswith("from"), line))
    return "\n".join([*lines[:start], *block, *lines[end:]]) + f"\n\n{fixture}"


def with_missing_fixtures(support: Support, conftest: str) -> Support:
    """Return support with tests that request fixtures which an existing client lacks.

    The existing conftest.py is never overwritten, and may be older than the project's fixture that
    creates or fills the tables. A client written today requests that fixture after the application.
    """
    rows = _asked_for(support.conftest or "", support.client_fixture)[1:]
    asked = _asked_for(conftest, support.client_fixture)
    missing = tuple(name for name in rows if name not in asked)
    return replace(support, fixtures=(*support.fixtures, *missing)) if asked else support


def _asked_for(conftest: str, fixture: str) -> list[str]:
    """Return the fixtures that a fixture of a conftest.py requests; none where it is missing."""
    with suppress(SyntaxError, ValueError):
        for node in ast.parse(conftest).body:
            if isinstance(node, ast.FunctionDef) and node.name == fixture:
                return [argument.arg for argument in node.args.args]
    return []
