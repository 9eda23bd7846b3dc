"""Finds unfinished objects of handlers while their warnings are allowed.

A coroutine that is never awaited, or a file that is never closed, warns when it is collected. When
the project turns warnings into errors, and this happens after the last test, pytest ends with an
error although all tests pass. No test is to blame, and no mark of a test has an effect then.
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

    `conftest` is the text of one that this tool has written, None for none.
    """
    return with_fixture(conftest, ["import gc", "import warnings"], FIXTURE)


def left_unfinished(output: str) -> str:
    """Return the first warning that pytest turned into an error at its end; empty for none."""
    found = _WARNING.search(output)
    return found[1][:200] if found else ""
