"""Reads a page in one pass: its forms, its links, its messages and its headings."""

from __future__ import annotations

import re
from dataclasses import field

from pytest_evosearch.core.english import words_of
from pytest_evosearch.core.forms import Form
from pytest_evosearch.core.forms import FormReader
from pytest_evosearch.core.http_words import WRITING
from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.quick_dataclasses import dataclass

_MESSAGE = re.compile("alert|errors?|flash(?:es)?|invalid|danger|success|warning")
"""Words in the class of an element that tells whether an action succeeded."""

_HEADING = re.compile("title|h1|h2|legend")
"""Tags of texts that name a page or a part of it."""

_REFRESH = re.compile(r"""\burl\s*=\s*['"]?([^'"\s]+)""", re.IGNORECASE)


@dataclass(frozen=True)
class ScriptedControl:
    """An element that sends a request by a script, as its attributes say (htmx)."""

    method: str
    address: str
    values: tuple[tuple[str, str], ...] = ()
    """What it sends beside the fields of its form: ``hx-vals``."""
    form: Form | None = None
    """The form that it is, or that it belongs to; None outside of forms."""
    is_form: bool = False
    """Whether it is the form itself, which then sends nothing else."""


@dataclass
class PageContents:
    """What a page shows, without its texts."""

    forms: list[Form] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    """Addresses of links, each once, in order."""
    scripted: list[ScriptedControl] = field(default_factory=list)
    messages: set[str] = field(default_factory=set)
    """The kinds of messages: words of classes, and ``alert`` for that role."""
    headings: list[str] = field(default_factory=list)
    """Texts of the title and of headings."""


def contents_of(page: str) -> PageContents:
    """Read a page."""
    reader = _ContentsReader()
    reader.read(page)
    reader.contents.forms = reader.forms()
    return reader.contents


class _ContentsReader(FormReader):
    """Collects forms and everything else that tells one screen from another."""

    def __init__(self) -> None:
        super().__init__()
        self.contents = PageContents()
        self._heading: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        super().handle_starttag(tag, attrs)
        if self.is_inert:
            return
        attributes = {name: value or "" for name, value in attrs}
        if _HEADING.fullmatch(tag):
            self._heading = ""
        self._read_address(tag, attributes)
        self._read_scripted(tag, attributes)
        self._read_message(attributes)

    def handle_endtag(self, tag: str) -> None:
        super().handle_endtag(tag)
        if self._heading is not None and _HEADING.fullmatch(tag):
            text = " ".join(self._heading.split())
            if text:
                self.contents.headings.append(text)
            self._heading = None

    def handle_data(self, data: str) -> None:
        super().handle_data(data)
        if self._heading is not None:
            self._heading += data

    def _read_address(self, tag: str, attributes: dict[str, str]) -> None:
        address = ""
        if tag in ("a", "area"):
            address = attributes.get("href", "")
        elif tag == "meta" and attributes.get("http-equiv", "").lower() == "refresh":
            found = _REFRESH.search(attributes.get("content", ""))
            address = found[1] if found else ""
        address = address or attributes.get("data-url", "") or attributes.get("data-href", "")
        if address and not address.startswith("#") and address not in self.contents.links:
            self.contents.links.append(address)

    def _read_scripted(self, tag: str, attributes: dict[str, str]) -> None:
        for method in ("GET", *WRITING):
            name = f"hx-{method.lower()}"
            address = attributes.get(name, attributes.get(f"data-{name}"))
            if address is None:
                continue
            values = _values(attributes.get("hx-vals", attributes.get("data-hx-vals", "")))
            control = ScriptedControl(
                method, address, values, self.open_form, is_form=tag == "form"
            )
            self.contents.scripted.append(control)

    def _read_message(self, attributes: dict[str, str]) -> None:
        words = words_of(attributes.get("class", ""))
        self.contents.messages.update(filter(_MESSAGE.fullmatch, words))
        if attributes.get("role") == "alert":
            self.contents.messages.add("alert")


def _values(text: str) -> tuple[tuple[str, str], ...]:
    """Return the pairs of ``hx-vals``; none where it is no JSON object, or a script."""
    try:
        values = json.loads(text) if text else {}
    except ValueError:
        return ()
    if not isinstance(values, dict):
        return ()
    return tuple((str(name), str(value)) for name, value in values.items())
