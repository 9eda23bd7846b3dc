"""Keeps email-validator from asking mail servers, and says whether it would have.

Flask-Security and others check with the DNS whether a domain takes mail before they accept an
address.  Invented addresses fail that check: example.com says that it takes none, and without
a network every question waits for its time-out.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import contextmanager
from contextlib import suppress
from importlib import import_module
from mmap import mmap

MODULE = "email_validator"
UNASKED = f"{MODULE}.TEST_ENVIRONMENT = True"
"""What does the same in a written conftest.py: the library's own switch for tests.

It is not what is used here, as it cannot tell who looked at it: it also lets ``.test`` pass.
"""


@contextmanager
def unasked_mail_servers() -> Iterator[Callable[[], bool]]:
    """Let email-validator, where it is loaded, find every domain good.

    Give a function that says whether it would have asked so far, in whichever forked process.
    """
    asked = mmap(-1, 1)
    name = "validate_email_deliverability"
    module = sys.modules.get(MODULE)
    if module is not None:
        with suppress(ImportError):  # before version 2 it was all one module
            module = import_module(f"{MODULE}.deliverability")
    original = getattr(module, name, None)

    def find_good(*_: object, **__: object) -> dict[str, object]:
        asked[0] = 1
        return {}

    if original is not None:
        setattr(module, name, find_good)
    try:
        yield lambda: asked[0] == 1
    finally:
        if original is not None:
            setattr(module, name, original)
