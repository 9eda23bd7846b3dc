"""Chooses what a test asserts about an XML response: elements, attributes and texts.

Facts that other responses of the endpoint lack come first; unstable facts are omitted. When no
other fact remains, the name of the root is asserted.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from xml.etree.ElementTree import Element

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.problem.http.exchanges.xml_places import DEEPEST
from pytest_evosearch.problem.http.exchanges.xml_places import local_name
from pytest_evosearch.write.code.literals import Expression

ATTRIBUTES = "xml-attributes"
"""Kind of facts about all attributes of an element."""
ATTRIBUTE = "xml-attribute"
TEXT = "xml-text"
COUNT = "xml-count"
"""Kind of facts about the number of elements of one name."""
ROOT = "xml-tag"
"""Kind of fact about the name of the root."""

MOST_FACTS = 6
"""Most facts about one document: more would hide the point of the test."""

LONGEST_TEXT = 120
"""Most characters of an asserted text or attribute."""

_LESS_TELLING = {ATTRIBUTES: 0, TEXT: 0, ATTRIBUTE: 1, COUNT: 1, ROOT: 2}


@dataclass(frozen=True)
class XmlFact:
    """One fact about an XML document."""

    kind: str
    path: str
    """Path of the element in `ElementTree`'s syntax; empty for the root."""
    value: object
    name: str = ""
    """Name of a single attribute."""


def xml_facts(
    root: Element,
    again: Sequence[Element],
    siblings: Sequence[Element],
    is_unstable: Callable[[XmlFact, str], bool],
    reference: Callable[[str, str], Expression | None],
) -> list[XmlFact]:
    """Return the facts to assert about the document `root`.

    `again` are documents of other runs, `siblings` other responses of the endpoint. `is_unstable`
    says whether the text of a fact is unstable. `reference` returns the variable for a value of a
    certain name.
    """
    theirs = [set(map(repr, _facts_of(one, is_unstable))) for one in again]
    found = [
        fact for fact in _facts_of(root, is_unstable) if all(repr(fact) in one for one in theirs)
    ]
    found += _single_attributes(root, again, found, is_unstable)
    others = [set(map(repr, _facts_of(one, is_unstable))) for one in siblings]
    order = {
        id(fact): (sum(repr(fact) in one for one in others), _LESS_TELLING[fact.kind])
        for fact in found
    }
    wanted = [fact for fact in found if fact.kind != ROOT] or found
    chosen = {id(fact) for fact in sorted(wanted, key=lambda one: order[id(one)])[:MOST_FACTS]}
    return [_referring(fact, reference) for fact in wanted if id(fact) in chosen]


def _facts_of(
    root: Element, is_unstable: Callable[[XmlFact, str], bool], apart: bool = False
) -> Iterator[XmlFact]:
    """Yield all facts about a document, outermost first; with `apart`, attributes one by one."""
    yield XmlFact(ROOT, "", root.tag)
    for path, element in _elements(root):
        for fact in _of_element(path, element, apart):
            texts = fact.value.values() if isinstance(fact.value, dict) else [str(fact.value)]
            is_short = all(len(text) <= LONGEST_TEXT for text in texts)
            if is_short and not any(is_unstable(fact, text) for text in texts):
                yield fact


def _of_element(path: str, element: Element, apart: bool) -> Iterator[XmlFact]:
    if apart:
        for name, value in element.attrib.items():
            yield XmlFact(ATTRIBUTE, path, value, name)
        return
    if element.attrib:
        yield XmlFact(ATTRIBUTES, path, dict(element.attrib))
    if element.text and element.text.strip() and not len(element):
        yield XmlFact(TEXT, path, element.text)
    for name, count in _repeated(element).items():
        yield XmlFact(COUNT, f"{path}/{name}".lstrip("/"), count)
    if path and not element.attrib and not len(element) and not (element.text or "").strip():
        yield XmlFact(COUNT, path, 1)


def _single_attributes(
    root: Element,
    again: Sequence[Element],
    found: Sequence[XmlFact],
    is_unstable: Callable[[XmlFact, str], bool],
) -> list[XmlFact]:
    """Return the stable attributes of elements with unstable ones."""
    whole = {fact.path for fact in found if fact.kind == ATTRIBUTES}
    theirs = [set(map(repr, _facts_of(one, is_unstable, apart=True))) for one in again]
    return [
        fact
        for fact in _facts_of(root, is_unstable, apart=True)
        if fact.kind == ATTRIBUTE and fact.path not in whole
        if all(repr(fact) in one for one in theirs)
    ]


def _elements(root: Element) -> Iterator[tuple[str, Element]]:
    """Yield the elements of a document with their paths, the first of each name, level by level."""
    level = [("", root)]
    for _ in range(DEEPEST):
        yield from level
        level = [
            (f"{path}/{name}".lstrip("/"), child)
            for path, element in level
            for name, child in _named_children(element).items()
        ]


def _named_children(element: Element) -> dict[str, Element]:
    found: dict[str, Element] = {}
    for child in element:
        if isinstance(child.tag, str):
            found.setdefault(_step(child.tag), child)
    return found


def _step(tag: str) -> str:
    """Return a step of a path: in any namespace, if the tag has one."""
    return tag if local_name(tag) == tag else f"{{*}}{local_name(tag)}"


def _repeated(element: Element) -> dict[str, int]:
    """Return the names of repeated children, and their numbers."""
    names = [_step(child.tag) for child in element if isinstance(child.tag, str)]
    return {name: names.count(name) for name in dict.fromkeys(names) if names.count(name) > 1}


def _referring(fact: XmlFact, reference: Callable[[str, str], Expression | None]) -> XmlFact:
    """Return a fact with variables for values that earlier responses returned."""
    if isinstance(fact.value, dict):
        value: object = {
            name: reference(local_name(name), text) or text for name, text in fact.value.items()
        }
    elif isinstance(fact.value, str) and fact.kind in (TEXT, ATTRIBUTE):
        name = fact.name or fact.path.rpartition("/")[2]
        value = reference(local_name(name), fact.value) or fact.value
    else:
        return fact
    return XmlFact(fact.kind, fact.path, value, fact.name)


def xml_left(kind: str, path: str, name: str, document: str) -> str:
    """Return the left side of an assertion, read from the root that the code `document` returns."""
    element = f'{document}.find("{path}")' if path else document
    return {
        ATTRIBUTES: f"{element}.attrib",
        ATTRIBUTE: f'{element}.get("{name}")',
        TEXT: f'{document}.findtext("{path}")' if path else f"{document}.text",
        COUNT: f'len({document}.findall("{path}"))',
        ROOT: f"{document}.tag",
    }[kind]
