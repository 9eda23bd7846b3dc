"""Addresses in the mails of an application: to confirm an account, to reset a password, to join.

Nobody can guess what they hold (it is random, or signed), and nothing else of an application
shows it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import suppress
from urllib.parse import SplitResult
from urllib.parse import parse_qsl
from urllib.parse import unquote
from urllib.parse import urlsplit

from pytest_evosearch.problem.http.endpoint import PLACEHOLDER
from pytest_evosearch.problem.http.endpoint import pattern_of
from pytest_evosearch.problem.http.exchange import Mail

LARGEST_TEXT = 65_536
"""Characters of a mail that are looked at."""

_ADDRESS = re.compile(r"""https?://[^\s"'<>]+""")
_PUNCTUATION = ".,;:!?)"
"""What ends a sentence rather than an address."""


def addresses_in(mails: Sequence[Mail]) -> Iterator[SplitResult]:
    """Yield the addresses in `mails`, those of the latest first."""
    for mail in reversed(mails):
        for text in (html.unescape(mail.html[:LARGEST_TEXT]), mail.body[:LARGEST_TEXT]):
            for found in _ADDRESS.findall(text):
                with suppress(ValueError):
                    yield urlsplit(found.rstrip(_PUNCTUATION))


def mailed_value(mails: Sequence[Mail], template: str, name: str) -> str | None:
    """Return the value of `name` in the first address that lies at `template`.

    It stands in the path where the template has it, else in the query.
    """
    pattern, names = re.compile(pattern_of(template)), PLACEHOLDER.findall(template)
    for address in addresses_in(mails):
        found = pattern.fullmatch(address.path)
        if found is None:
            continue
        if name in names:
            return unquote(found.groups()[names.index(name)])
        queried = dict(parse_qsl(address.query))
        if name in queried:
            return queried[name]
    return None
