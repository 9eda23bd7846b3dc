"""Code that reads values from the mails of the application."""

from __future__ import annotations

import keyword
import re
from collections.abc import Collection
from collections.abc import Iterator
from collections.abc import Sequence

from pytest_evosearch.problem.http.exchanges.endpoint import PLACEHOLDER
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Origin
from pytest_evosearch.sut.watching.outbox import OUTBOX_FIXTURE

CODE = r"([\w-]+)"

TOKENS = (r"([\w.-]+)", r"([\w.-]+[\w-])")
"""Patterns of values in mails: signed and random tokens consist of these characters.

The second one is for an address at the end of a sentence.
"""


def takes_from_mails(exchanges: Sequence[Exchange]) -> bool:
    """Say whether a request holds a value that an earlier one had mailed."""
    origins = [origin for one in exchanges for origin in one.request.origins.values()]
    return any(origin.selector[0] == "mail" for origin in origins)


def sends_mails_by_threads(exchanges: Sequence[Exchange]) -> bool:
    """Say whether a thread sent a mail, so that a test must wait for it."""
    return any(mail.by_thread for one in exchanges for mail in one.mails)


def mail_code(
    exchanges: Sequence[Exchange], origin: Origin, index: int, value: object
) -> str | None:
    """Return code that finds a value in the mails before the call `index`.

    Return None when no short expression finds it.
    """
    start = _words_before(origin)
    tokens = TOKENS if origin.selector[1] else (CODE,)
    for text, expression in _letters(exchanges, origin.call, index):
        if not start and text == value:
            return expression
        for pattern in (f"{start}{token}" for token in tokens):
            known = re.search(pattern, text)
            if known is not None and known[1] == value:
                return f're.search(r"{pattern}", {expression})[1]'
    return None


def _words_before(origin: Origin) -> str:
    """Return the pattern of what stands before a value in its letter."""
    template, name = str(origin.selector[1]), str(origin.selector[-1])
    if not template:
        return _literal(str(origin.selector[2]))
    before, found, _after = template.partition(f"{{{name}}}")
    parts = PLACEHOLDER.split(before)[::2] if found else [f"{name}="]
    return "[^/]+".join(map(_literal, parts))


def _letters(exchanges: Sequence[Exchange], call: int, index: int) -> Iterator[tuple[str, str]]:
    """Yield the letters of a call, the latest first, with the code that reads each."""
    later = sum(len(one.mails) for one in exchanges[call + 1 : index])
    for place, mail in enumerate(reversed(exchanges[call].mails), start=later + 1):
        yield mail.html, f"{OUTBOX_FIXTURE}[-{place}].html"
        yield mail.body, f"{OUTBOX_FIXTURE}[-{place}].body"


def _literal(text: str) -> str:
    """Return a pattern for `text` itself; dashes and spaces need no backslash."""
    return re.escape(text).replace("\\-", "-").replace("\\ ", " ")


def is_mailed(code: str) -> bool:
    """Say whether `mail_code` wrote this code."""
    return f"{OUTBOX_FIXTURE}[-" in code


def variable_named(name: str, taken: Collection[str]) -> str:
    """Return the variable for a mailed value: `name` where that is free."""
    wanted = name if name.isidentifier() and not keyword.iskeyword(name) else "mailed"
    return f"mailed_{wanted}" if wanted in taken else wanted
