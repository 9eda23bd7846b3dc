"""Writes Python code that reads a value from an earlier response."""

from __future__ import annotations

import re

from pytest_evosearch.core.forms import PLAIN_NAME
from pytest_evosearch.core.forms import field_patterns
from pytest_evosearch.core.forms import finding
from pytest_evosearch.core.forms import quoted_pattern
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Selector
from pytest_evosearch.problem.http.exchanges.xml_places import code_at
from pytest_evosearch.problem.http.exchanges.xml_places import root_of
from pytest_evosearch.problem.http.exchanges.xml_places import value_at
from pytest_evosearch.write.code.literals import subscripts


def xml_code(variable: str, exchange: Exchange, selector: Selector) -> str | None:
    """Return the code for a selector of an XML response, None when it has no value."""
    root = root_of(exchange.response) if exchange.response is not None else None
    if root is None or value_at(root, selector) is None:
        return None
    code = code_at(root, selector, f"ElementTree.fromstring({variable}.data)")
    return None if set(code) & set("'\\{}") else code


def selector_code(variable: str, selector: Selector) -> str | None:
    """Return the code that reads `selector` from the response `variable`, None if there is none."""
    kind, *rest = selector
    if any(isinstance(key, str) and set(key) & set("\"'\\{}") for key in rest):
        return None  # Python before 3.12 allows none of these inside an f-string
    if kind == "json":
        return f"{variable}.json{subscripts(rest)}"
    if kind == "header" and rest:
        return f"{variable}.headers{subscripts(rest)}"
    return None


def location_code(
    variable: str, exchange: Exchange, selector: Selector, value: object
) -> str | None:
    """Return code that reads a part of a Location; None where it is there in another form.

    Flask's addresses often end with a slash, and a query or a fragment may follow the path.
    """
    code = f"{variable}.location"
    location = (exchange.response.location or "") if exchange.response is not None else ""
    if isinstance(selector[1], str):
        mark = f"{selector[1]}="
        found = location.partition(mark)[2].partition("&")[0].partition("#")[0]
        read = f'{code}.partition("{mark}")[2].partition("&")[0]'
        return read if found == value and "#" not in location else None
    if selector[1:] != (-1,):
        parts = location.split("/")
        return f'{code}.split("/")[{parts.index(value)}]' if value in parts else None
    for mark in "?#":
        path, found, _rest = location.partition(mark)
        if found:
            code, location = f'{code}.partition("{mark}")[0]', path
    parts = location.split("/")
    last = -2 if location.endswith("/") and len(parts) > 1 else -1
    return f'{code}.split("/")[{last}]' if parts[last] == value else None


def page_code(variable: str, exchange: Exchange, selector: Selector, value: object) -> str | None:
    """Return code that finds a token in a page: in a hidden field, or outside forms.

    Return None when no short expression can read the page.
    """
    response, name = exchange.response, str(selector[-1])
    if response is None or PLAIN_NAME.fullmatch(name) is None:
        return None
    text = response.text
    patterns = field_patterns(name) if selector[0] == "form" else _loose_patterns(name, text)
    pattern = finding(patterns, text, value)
    return f"re.search({quoted_pattern(pattern)}, {variable}.text)[1]" if pattern else None


LAST_SEGMENT = re.compile(r"\.split\(\S+\)\[-\d\]$")
"""How a reference reads the end of an address."""


def _loose_patterns(name: str, text: str) -> list[str]:
    """Return patterns for a token in the head of a page or in a script, the plainest first."""
    patterns = [
        f'name="{name}" content="(.+?)"',
        f'name="{name}"[^>]*content="(.+?)"',
        f'content="([^"]+)"[^>]*name="{name}"',
    ]
    assigned = re.search(rf"\b{name}([\"']?)( ?[:=] ?)([\"'])", text)
    if assigned is not None:
        closing, sign, quote = assigned.groups()
        patterns.append(f"{name}{closing}{sign}{quote}(.+?){quote}")
    return [pattern for pattern in patterns if not {"'", '"'} <= set(pattern)]
