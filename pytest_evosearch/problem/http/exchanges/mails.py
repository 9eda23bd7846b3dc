"""Addresses in the mails of an application: to confirm an account, to reset a password, to join.

Their values are random or signed, so they cannot be guessed, and only the mails show them.
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
"""Most characters of a mail that are read."""

_ADDRESS = re.compile(r"""https?://[^\s"'<>]+""")
_CODE = re.compile(r"(?<![\w.@/=-])(?=[\w-]*(?:\d|[a-z][A-Z]))[\w-]{4,}(?![\w@/=-]|\.\w)")
"""A word with a digit, or a capital within it, that is no part of an address."""

_BEFORE = re.compile(r"[^\d\n]{1,24}$")
_PUNCTUATION = ".,;:!?)"
"""Characters that end a sentence rather than an address."""


def addresses_in(mails: Sequence[Mail]) -> Iterator[SplitResult]:
    """Yield the addresses in `mails`, those of the latest mail first."""
    for mail in reversed(mails):
        for text in (html.unescape(mail.html[:LARGEST_TEXT]), mail.body[:LARGEST_TEXT]):
            for found in _ADDRESS.findall(text):
                with suppress(ValueError):
                    yield urlsplit(found.rstrip(_PUNCTUATION))


def values_at(address: SplitResult, template: str) -> dict[str, str]:
    """Return name and value from an address's query and path; the path wins.

    Empty when it does not match.
    """
    found = re.fullmatch(pattern_of(template), address.path)
    if found is None:
        return {}
    in_path = zip(PLACEHOLDER.findall(template), map(unquote, found.groups()), strict=True)
    return {**dict(parse_qsl(address.query)), **dict(in_path)}


def codes_in(mails: Sequence[Mail]) -> Iterator[tuple[tuple[str, str, str], str]]:
    """Yield what in letters is no word: codes and tokens, each with how it is found there."""
    for mail in reversed(mails):
        for text in (mail.body[:LARGEST_TEXT], html.unescape(mail.html[:LARGEST_TEXT])):
            for found in _CODE.finditer(text):
                before = _BEFORE.search(text[: found.start()])
                address = before[0] if before is not None else ""
                yield ("mail", "", address), found[0]


def mailed_code(mails: Sequence[Mail], before: str) -> str | None:
    """Return the code after some words in the latest letter that has one."""
    wanted = re.compile(rf"{re.escape(before)}([\w-]+)" if before else r"([\w-]+)\Z")
    for mail in reversed(mails):
        for text in (mail.body, html.unescape(mail.html)):
            found = wanted.search(text) if before else wanted.match(text)
            if found is not None:
                return found[1]
    return None


def mailed_value(mails: Sequence[Mail], template: str, name: str) -> str | None:
    """Return the value of `name` in the first address at `template` that has it."""
    held = (values_at(address, template) for address in addresses_in(mails))
    return next((values[name] for values in held if name in values), None)
