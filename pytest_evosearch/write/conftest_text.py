"""Adds a fixture to a conftest.py that this tool has written."""

from __future__ import annotations

from collections.abc import Sequence

EMPTY = '''\
"""Fixtures for the tests in this folder, written once by pytest-evosearch.

Edit them as you like: pytest-evosearch never overwrites this file.
"""

import pytest
'''

_IMPORTS = ("import ", "from ")


def with_fixture(conftest: str | None, imports: Sequence[str], fixture: str) -> str:
    """Return a conftest.py with one fixture more.

    `conftest` is one that this tool has written, None for none; `imports` are of the standard
    library; `fixture` is the source, which begins and ends with a line break.
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
