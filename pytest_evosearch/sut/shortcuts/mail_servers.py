"""Prevents DNS queries of email-validator, and says whether it would have sent one.

Flask-Security and others ask the DNS whether a domain accepts mail before they accept an address.
Invented addresses fail: example.com declares that it accepts none, and without a network every
query waits for its time-out.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import contextmanager
from contextlib import suppress
from importlib import import_module
from mmap import mmap

from pytest_evosearch.sut.patches import Patches

MODULE = "email_validator"
UNASKED = f"{MODULE}.TEST_ENVIRONMENT = True"
"""The line for a written conftest.py: the library's own switch for tests.

The search does not use this switch, because it does not show who read it. The switch also accepts
``.test``.
"""


@contextmanager
def unasked_mail_servers() -> Iterator[Callable[[], bool]]:
    """Let email-validator, where it is loaded, accept every domain.

    Yield a function that says whether it would have sent a query so far, in any forked process.
    """
    asked = mmap(-1, 1)
    name = "validate_email_deliverability"
    module = sys.modules.get(MODULE)
    if module is not None:
        with suppress(ImportError):  # before version 2 it was one module
            module = import_module(f"{MODULE}.deliverability")

    def find_good(*_: object, **__: object) -> dict[str, object]:
        asked[0] = 1
        return {}

    with Patches() as patches:
        if module is not None:
            patches.wrap(module, name, lambda _real: find_good)
        yield lambda: asked[0] == 1
