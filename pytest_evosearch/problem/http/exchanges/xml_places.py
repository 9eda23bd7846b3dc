"""Places in an XML response: elements, attributes and texts, as steps from the root.

A selector ``("xml", "album", "@id")`` is an attribute, ``("xml", "album", "title")`` a text. Names
have no namespace; of several elements with one name, the first counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from xml.etree import ElementTree

from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.exchange import Selector

XML = "xml"
"""First part of such a selector."""

LARGEST_DOCUMENT = 65_536
"""Most bytes of XML that are parsed."""

DEEPEST = 4
"""Most steps down from the root."""

_ATTRIBUTE = "@"


def root_of(response: Response) -> ElementTree.Element | None:
    """Return the root of an XML response, None for any other or malformed body."""
    if not response.is_xml or not 0 < len(response.body) <= LARGEST_DOCUMENT:
        return None
    return _parsed(response.body)


@lru_cache(maxsize=256)
def _parsed(body: bytes) -> ElementTree.Element | None:
    try:
        return ElementTree.fromstring(body)
    except (ElementTree.ParseError, ValueError, LookupError):  # malformed, or an unknown encoding
        return None


def local_name(tag: str) -> str:
    """Return the name of an element or attribute without its namespace."""
    return tag.rpartition("}")[2]


def leaves(root: ElementTree.Element) -> Iterator[tuple[Selector, str]]:
    """Yield the attributes and texts of a document with their selectors, outermost first."""
    level: list[tuple[tuple[str, ...], ElementTree.Element]] = [((), root)]
    for _ in range(DEEPEST):
        below = []
        for steps, element in level:
            for name, value in element.attrib.items():
                yield (XML, *steps, f"{_ATTRIBUTE}{local_name(name)}"), value
            text = (element.text or "").strip()
            if text and not len(element) and steps:
                yield (XML, *steps), text
            below += [((*steps, name), child) for name, child in first_children(element).items()]
        level = below


def first_children(element: ElementTree.Element) -> dict[str, ElementTree.Element]:
    """Return the first child of each name."""
    found: dict[str, ElementTree.Element] = {}
    for child in element:
        if isinstance(child.tag, str):  # comments have none
            found.setdefault(local_name(child.tag), child)
    return found


def value_at(root: ElementTree.Element, selector: Selector) -> str | None:
    """Return the attribute or text at a selector, None where there is none."""
    return next((value for found, value in leaves(root) if found == selector), None)


def name_at(selector: Selector) -> str:
    """Return the name of the attribute or element at a selector."""
    return str(selector[-1]).removeprefix(_ATTRIBUTE)


def code_at(root: ElementTree.Element, selector: Selector, document: str) -> str:
    """Return the code that reads a selector from the root that the code `document` gives.

    Elements with a namespace are found by position: full names would not fit into an f-string.
    """
    *steps, last = map(str, selector[1:])
    is_attribute = last.startswith(_ATTRIBUTE)
    way = steps if is_attribute else [*steps, last]
    code, element = document, root
    if all(child.tag == local_name(str(child.tag)) for child in root.iter()):
        path = "/".join(way)
        for step in way:
            element = first_children(element)[step]
        if not is_attribute:
            return f'{code}.findtext("{path}")'
        code += f'.find("{path}")' if path else ""
    else:
        for step in way:
            child = first_children(element)[step]
            code += f"[{list(element).index(child)}]"
            element = child
        if not is_attribute:
            return f"{code}.text"
    wanted = last.removeprefix(_ATTRIBUTE)
    name = next(name for name in element.attrib if local_name(name) == wanted)
    return f'{code}.get("{name}")'
