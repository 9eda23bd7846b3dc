"""Keeps two processes from testing at once where the project's fixtures share a file."""

from __future__ import annotations

IMPORT = "import fcntl"

FIXTURE = '''

@pytest.fixture(autouse=True)
def one_process_at_a_time(tmp_path_factory):
    """Let one process test at a time (``pytest -n 2``): the fixtures share a file."""
    lock = tmp_path_factory.getbasetemp().parent / "evosearch.lock"
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
'''

EMPTY = '''\
"""Fixtures for the tests in this folder, written once by pytest-evosearch.

Edit them as you like: pytest-evosearch never overwrites this file.
"""

import pytest
'''


def with_lock(conftest: str | None) -> str:
    """Return a conftest.py with a lock around every test.

    `conftest` is one that this tool has written, None for none.
    """
    lines = (conftest or EMPTY).splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith(_IMPORTS))
    end = next((place for place in range(start, len(lines)) if not lines[place]), len(lines))
    block = lines[start:end]
    if any("pytest" in line for line in block):  # no import of the standard library yet
        block = [IMPORT, "", *block]
    else:
        block = sorted([IMPORT, *block], key=lambda line: (line.startswith("from"), line))
    return "\n".join([*lines[:start], *block, *lines[end:]]) + "\n" + FIXTURE


_IMPORTS = ("import ", "from ")
