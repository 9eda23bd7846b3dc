"""Writes the document of an answer: as JSON, as XML, as HTML or as a text.

All formats have the same tree.  In a markup tree, a member is an element, a list several of them,
``@href`` an attribute and ``#text`` the text.  The name of an element is a simple selector:
``div.offer[data-id]`` makes a ``div`` of this class with this attribute.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from itertools import count

from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.watching.recorded_reads import JsonPath

JSON, XML, ROOTED_XML, HTML, TEXT = "json", "xml", "rooted xml", "html", "text"
"""Formats; in ``rooted xml`` the only member of the document is the outermost element."""

ATTRIBUTE, INNER_TEXT = "@", "#text"

_ROOT = "answer"

_PART = re.compile(r"([.#])([\w-]+)|\[\s*([\w:-]+)\s*(?:[*^$~|]?=\s*[\"']?([^\"'\]]*)[\"']?\s*)?\]")
_NAMESPACE = re.compile(r"\{([^}]*)\}(.+)")
_NAME = re.compile(r"[A-Za-z_][\w.:-]*")
_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class WrittenAnswer:
    """The body of an answer."""

    body: bytes
    kind: str
    """Its type, as in the header Content-Type."""
    format: str = TEXT
    places: tuple[JsonPath, ...] = ()
    """For each element of a markup, in the order of its text, where its value is in the document.

    Elements around the document have no place.
    """


def written(document: object, form: str) -> WrittenAnswer:
    """Return a document as text of a format."""
    if form in (XML, ROOTED_XML, HTML):
        return _MarkupWriter(form).write(document)
    if form == TEXT:
        text = document if isinstance(document, str) else json.dumps(document)
        return WrittenAnswer(text.encode("utf-8", "replace"), _type_of(TEXT))
    return WrittenAnswer(json.dumps(document).encode(), _type_of(JSON), JSON)


def _type_of(form: str) -> str:
    if form == TEXT:
        return "text/plain; charset=utf-8"
    return "text/html; charset=utf-8" if form == HTML else f"application/{form.split()[-1]}"


class _MarkupWriter:
    """Writes one document, and notes where each element comes from."""

    def __init__(self, form: str) -> None:
        self._form = form
        self._places: list[JsonPath] = []
        self._prefixes = count()

    def write(self, document: object) -> WrittenAnswer:
        members = document if isinstance(document, dict) else {INNER_TEXT: document}
        if self._form == ROOTED_XML:
            roots = list(self._elements(dict([*members.items(), (_ROOT, "")][:1]), ()))
            text = roots[0] if roots else f"<{_ROOT}/>"
        else:
            names = ("html", "body") if self._form == HTML else (_ROOT,)
            text = "".join((*_inner_text(members), *self._elements(members, ())))
            for name in reversed(names):
                text = f"<{name}>{text}</{name}>"
        body = text.encode("utf-8", "replace")
        return WrittenAnswer(body, _type_of(self._form), self._form, tuple(self._places))

    def _elements(self, members: dict[str, object], path: JsonPath) -> Iterator[str]:
        for name, value in members.items():
            if name == INNER_TEXT or name.startswith(ATTRIBUTE):
                continue
            if isinstance(value, list):
                for index, one in enumerate(value):
                    yield self._element(name, one, (*path, name, index))
            elif value is not None:
                yield self._element(name, value, (*path, name))

    def _element(self, selector: str, value: object, path: JsonPath) -> str:
        self._places.append(path)
        members = value if isinstance(value, dict) else {INNER_TEXT: value}
        tag, attributes = self._parts(selector)
        for name, given in members.items():
            if name.startswith(ATTRIBUTE) and _NAME.fullmatch(name[1:]):
                attributes[name[1:]] = _text(given)
        shown = "".join(f' {name}="{escape(one)}"' for name, one in attributes.items())
        inside = "".join((*_inner_text(members), *self._elements(members, path)))
        return f"<{tag}{shown}>{inside}</{tag}>"

    def _parts(self, selector: str) -> tuple[str, dict[str, str]]:
        """Return the name and the attributes of the element that a simple selector finds."""
        attributes: dict[str, str] = {}
        space = _NAMESPACE.fullmatch(selector)
        if space is not None and _NAME.fullmatch(space[2]):
            prefix = f"n{next(self._prefixes)}"
            return f"{prefix}:{space[2]}", {f"xmlns:{prefix}": space[1]}
        for kind, name, attribute, wanted in _PART.findall(selector):
            if kind == ".":
                attributes["class"] = f"{attributes.get('class', '')} {name}".strip()
            else:
                attributes["id" if kind else attribute] = name or wanted or ""
        ends = r"[.#\[]" if self._form == HTML else r"\["
        tag = re.split(ends, selector, maxsplit=1)[0]
        return tag if _NAME.fullmatch(tag) else "div", attributes


def _inner_text(members: dict[str, object]) -> Iterator[str]:
    value = members.get(INNER_TEXT)
    if value is not None:
        yield escape(_text(value))


def _text(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return _UNWRITABLE.sub(" ", text)
