"""Addresses in the mails of an application: to confirm an account, to reset a password, to join.

It cannot be guessed what they hold (it is random, or signed), and nothing else of an application
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

from pytest_evosearch.problem.http.exchanges.endpoint import PLACEHOLDER
from pytest_evosearch.problem.http.exchanges.endpoint import pattern_of
from pytest_evosearch.problem.http.exchanges.seen_inside import Mail

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


def values_at(address: SplitResult, template: str) -> dict[str, str]:
    """Return what an address holds by name, in its path (which wins) or query; else nothing."""
    found = re.fullmatch(pattern_of(template), address.path)
    if found is None:
        return {}
    in_path = zip(PLACEHOLDER.findall(template), map(unquote, found.groups()), strict=True)
    return {**dict(parse_qsl(address.query)), **dict(in_path)}


def mailed_value(mails: Sequence[Mail], template: str, name: str) -> str | None:
    """Return the value of `name` in the first address at `template` that has it."""
    held = (values_at(address, template) for address in addresses_in(mails))
    return next((values[name] for values in held if name in values), None)
