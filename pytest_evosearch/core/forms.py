"""HTML forms of a page, read with the standard library's tolerant parser.

Forms are often nested wrongly in tables.  A tree builder loses their fields then; `html.parser`
keeps them, because it reads one start tag after another.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import field
from html.parser import HTMLParser

from pytest_evosearch.core.quick_dataclasses import dataclass

LARGEST_PAGE = 200_000
"""Characters of a page that are parsed: a form stands early in a page, and parsing takes time."""

FORGERY_WORDS = "csrf|xsrf|forgery"
"""Words for a token against forged requests, as a pattern to match without regard to case."""

PLAIN_NAME = re.compile(r"[\w-]+")
"""A name that needs no escaping in a pattern."""


@dataclass
class FormField:
    """One named control of a form."""

    name: str
    kind: str = "text"
    """The ``type`` of an input, or ``select`` or ``textarea``."""
    value: str = ""
    options: list[str] = field(default_factory=list)
    required: bool = False
    attributes: dict[str, str] = field(default_factory=dict)


@dataclass
class Form:
    """One form: where it goes, how, and with what."""

    action: str = ""
    method: str = "GET"
    fields: dict[str, FormField] = field(default_factory=dict)


def parse_forms(page: str) -> list[Form]:
    """Return the forms of `page` in order; controls outside any form are dropped."""
    reader = _FormReader()
    # The parser gives up on malformed declarations such as "<![if". The forms before them are kept.
    with suppress(AssertionError):
        reader.feed(page[:LARGEST_PAGE])
        reader.close()
    return reader.forms


def field_patterns(name: str) -> list[str]:
    """Return patterns that find the value of the input `name` in a page, the simplest first."""
    return [f'name="{name}".*?value="(.+?)"', f'value="([^"]+)"[^>]*name="{name}"']


def finding(patterns: Iterable[str], page: str, value: object) -> str | None:
    """Return the first pattern whose first match in `page` is `value`; None if there is none."""
    for pattern in patterns:
        found = re.search(pattern, page)
        if found is not None and found[1] == value:
            return pattern
    return None


def quoted_pattern(pattern: str) -> str:
    """Write a pattern as a literal of source code.

    The pattern may hold single quotes or double quotes, but not both.
    """
    mark = '"' if "'" in pattern else "'"
    return f"{mark}{pattern}{mark}"


class _FormReader(HTMLParser):
    """Collects forms tag by tag."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.forms: list[Form] = []
        self._form: Form | None = None
        self._select: FormField | None = None
        self._area: FormField | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._form = Form(
                action=attributes.get("action", ""),
                method=attributes.get("method", "GET").upper() or "GET",
            )
            self.forms.append(self._form)
        elif self._form is not None:
            self._read_control(tag, attributes)

    def _read_control(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "option" and self._select is not None:
            value = attributes.get("value", "")
            self._select.options.append(value)
            if "selected" in attributes:
                self._select.value = value
        elif tag == "input":
            kind = attributes.get("type", "text").lower()
            if kind not in ("submit", "button", "image", "reset") or "name" in attributes:
                self._add(kind, attributes)
        elif tag == "select":
            self._select = self._add("select", attributes)
        elif tag == "textarea":
            self._area = self._add("textarea", attributes)

    def _add(self, kind: str, attributes: dict[str, str]) -> FormField | None:
        name = attributes.get("name", "")
        if not name or self._form is None:
            return None
        value = attributes.get("value", "")
        known = self._form.fields.get(name)
        if known is not None:
            known.options.append(value)
            return known
        made = FormField(name, kind, value, required="required" in attributes)
        made.attributes = attributes
        if kind in ("radio", "checkbox") and value:
            made.options.append(value)
        self._form.fields[name] = made
        return made

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
        elif tag == "select":
            self._select = None
        elif tag == "textarea":
            self._area = None

    def handle_data(self, data: str) -> None:
        if self._area is not None:
            self._area.value += data
