"""Finds what handlers leave unfinished while its warnings are let pass.

A coroutine that nothing awaits, or a file that nothing closes, warns when it is collected.  Where
the project makes errors of warnings, and that happens after the last test, pytest ends with an
error though all tests pass: no test is to blame, and no mark of a test reaches so far.
"""

from __future__ import annotations

import re

from pytest_evosearch.write.modules.conftest_text import with_fixture

FIXTURE = '''
@pytest.fixture(autouse=True)
def collected_garbage():
    """Collect what calls leave unfinished: it warns, and pytest would end with an error for it."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gc.collect()
'''

_WARNING = re.compile(r"^(?:\w+\.)*(\w+Warning: .+)$", re.MULTILINE)


def with_garbage_collected(conftest: str | None) -> str:
    """Return a conftest.py that collects garbage after every test.

    `conftest` is one that this tool has written, None for none.
    """
    return with_fixture(conftest, ["import gc", "import warnings"], FIXTURE)


def left_unfinished(output: str) -> str:
    """Return the first warning of which pytest made an error at its end; empty for none."""
    found = _WARNING.search(output)
    return found[1][:200] if found else ""
