"""Records what the application looks for in XML and HTML that a service has answered.

    xml.etree    root.findtext("item/title"), root.iter("item"), element.get("id"), element.text
    bs4          soup.select("div.offer a[href]"), soup.find("a", class_="next"), tag["href"]
    lxml         tree.xpath("//div[@class='offer']/a/@href"), and what xml.etree has
    xmltodict    parse(text)["feed"]["entry"]

A search that finds nothing asks for an element; the next answer has it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from collections.abc import Iterator
from typing import Any

from pytest_evosearch.sut.outgoing.answer_formats import ATTRIBUTE
from pytest_evosearch.sut.outgoing.answer_formats import HTML
from pytest_evosearch.sut.outgoing.answer_formats import INNER_TEXT
from pytest_evosearch.sut.outgoing.answer_formats import ROOTED_XML
from pytest_evosearch.sut.outgoing.answer_formats import XML
from pytest_evosearch.sut.outgoing.answer_reads import SOUGHT
from pytest_evosearch.sut.outgoing.answer_reads import AnswerReads
from pytest_evosearch.sut.outgoing.answer_reads import ReadsOfAnswer
from pytest_evosearch.sut.outgoing.answer_reads import Served
from pytest_evosearch.sut.outgoing.answer_reads import recorded
from pytest_evosearch.sut.patches import Patches
from pytest_evosearch.sut.watching.recorded_reads import JsonPath

_AROUND = frozenset(["html", "head", "body", "tbody"])
"""Elements that parsers of HTML add, and that are around the document."""

_STEP = re.compile(r"(?:\{[^}]*\}|\[[^\]]*\]|[^/\[{])+")
_PREFIXED = re.compile(r"(\w+):(\w+)")
_CLASS_TEST = re.compile(r"""contains\(\s*@([\w-]+)\s*,\s*['"]([^'"]*)['"]\s*\)""")
_ATTRIBUTE_TEST = re.compile(r"\[([\w:-]+)\]")
_COMBINATOR = re.compile(r"\s*[>+~]\s*|\s+")
_PSEUDO_CLASS = re.compile(r"::?[\w-]+(?:\([^)]*\))?")


class _Places:
    """Where the elements of one parsed answer are in its document."""

    def __init__(self, log: ReadsOfAnswer) -> None:
        self._log = log

    def lacks(self, path: JsonPath, steps: list[str], several: bool = False) -> None:
        """Note that an element, or an attribute as the last step, was looked for and is not there.

        With `several`, the code takes all such elements.
        """
        for step in steps:
            path = (*path, step)
            if step.startswith((ATTRIBUTE, INNER_TEXT)):
                several = False
                break
            if several and step is steps[-1]:
                path = (*path, 0)
            for attribute in _ATTRIBUTE_TEST.findall(step):
                self._log.note_use((*path, f"{ATTRIBUTE}{attribute}"), SOUGHT, False)
        if steps:
            self._log.note_use(path, SOUGHT, False)

    def has(self, path: JsonPath, name: str, value: Any) -> Any:
        """Note a read of an attribute or of a text, and return it as one that records."""
        return self._log.text((*path, name), value)


def _steps_of_path(path: str, namespaces: Any = None) -> list[str]:
    """Return the elements that an ElementPath or an XPath goes through, as simple selectors."""
    path = _CLASS_TEST.sub(r"@\1='\2'", path)
    steps = []
    for step in _STEP.findall(path):
        step = step.replace("[@", "[").rpartition("::")[2]
        found = _PREFIXED.fullmatch(step)
        if found is not None and found[1] in (namespaces or {}):
            step = f"{{{namespaces[found[1]]}}}{found[2]}"
        if step == "text()":
            steps.append(INNER_TEXT)
        elif step.startswith("@"):
            steps.append(step)
        elif step.strip(".*") and not step.endswith("()"):
            steps.append(re.sub(r"\[\d+\]|\[(?:last|position)\(\)[^\]]*\]", "", step))
    return steps


def _steps_of_selector(selector: str) -> list[str]:
    """Return the elements that a CSS selector goes through."""
    first = _PSEUDO_CLASS.sub("", selector.partition(",")[0]).strip()
    return [step for step in _COMBINATOR.split(first) if step.strip("*")]


def watch_markup(patches: Patches, reads: AnswerReads) -> None:
    """Record what is looked for in the markup of answers, until `patches` end."""
    etree: Any = sys.modules.get("xml.etree.ElementTree")
    if etree is not None:
        patches.setattr(etree, "XMLParser", _parser_class(etree, reads))
    soup: Any = sys.modules.get("bs4")
    if soup is not None:
        _SoupWatch(reads, soup.element.Tag).install(patches, soup.BeautifulSoup)
    converter: Any = sys.modules.get("xmltodict")
    if converter is not None:
        patches.wrap(converter, "parse", lambda real: _converting(real, reads))


def _converting(real: Callable[..., Any], reads: AnswerReads) -> Callable[..., Any]:
    def parse(xml_input: Any, *arguments: Any, **keywords: Any) -> Any:
        served = reads.parsed_as(ROOTED_XML, xml_input)
        value = real(xml_input, *arguments, **keywords)
        return value if served is None else recorded(value, served.log)

    return parse


def _parser_class(etree: Any, reads: AnswerReads) -> Any:
    """Return a parser of XML that records what is looked for in an answer."""

    class XMLParser(etree.XMLParser):  # type: ignore[misc]
        def __init__(self, *arguments: Any, **keywords: Any) -> None:
            super().__init__(*arguments, **keywords)
            self._text = b""

        def feed(self, data: Any) -> None:
            if reads.is_serving:
                self._text += data.encode() if isinstance(data, str) else bytes(data)
                reads.parsed_as(XML, self._text)
            super().feed(data)

        def _parse_whole(self, source: Any) -> Any:
            self.feed(source.read())
            return self.close()

        def close(self) -> Any:
            root = super().close()
            served = reads.parsed_as(XML, self._text) if reads.is_serving else None
            if served is None or not isinstance(root, etree.Element):
                return root
            places = ((), *served.places) if served.format == XML else served.places
            klass = type(
                "Element", (_RecordingElement, etree.Element), {"__module__": etree.__name__}
            )
            return _recording(root, iter(places), _Places(served.log), klass)

    return XMLParser


def _recording(element: Any, places: Iterator[JsonPath], log: _Places, klass: Any) -> Any:
    """Return a copy of an element that records what is looked for in it."""
    copied = klass(element.tag, dict(element.attrib))
    copied.log, copied.path = log, next(places, ())
    copied.text, copied.tail = element.text, element.tail
    copied.extend([_recording(one, places, log, klass) for one in element])
    return copied


class _RecordingElement:
    """What an element of `xml.etree` does besides: a base in front of its class."""

    log: _Places
    path: JsonPath

    def _asked(self, path: str, namespaces: Any, several: bool) -> None:
        inherited: Any = super()
        if inherited.find(path, namespaces) is None:
            self.log.lacks(self.path, _steps_of_path(path, namespaces), several)

    def find(self, path: str, namespaces: Any = None) -> Any:
        """Return the first element at a path."""
        self._asked(path, namespaces, several=False)
        inherited: Any = super()
        return inherited.find(path, namespaces)

    def findtext(self, path: str, default: Any = None, namespaces: Any = None) -> Any:
        """Return the text of the first element at a path."""
        found = self.find(path, namespaces)
        return default if found is None else found.text or ""

    def findall(self, path: str, namespaces: Any = None) -> Any:
        """Return all elements at a path."""
        self._asked(path, namespaces, several=True)
        inherited: Any = super()
        return inherited.findall(path, namespaces)

    def iterfind(self, path: str, namespaces: Any = None) -> Any:
        """Return all elements at a path."""
        return iter(self.findall(path, namespaces))

    def iter(self, tag: str | None = None) -> Any:
        """Return all elements of a name below this one."""
        inherited: Any = super()
        if tag and tag != "*" and next(inherited.iter(tag), None) is None:
            self.log.lacks(self.path, [tag], several=True)
        return inherited.iter(tag)

    def get(self, name: str, default: Any = None) -> Any:
        """Return the value of an attribute."""
        inherited: Any = super()
        value = inherited.get(name)
        if value is None:
            self.log.lacks(self.path, [f"{ATTRIBUTE}{name}"])
            return default
        return self.log.has(self.path, f"{ATTRIBUTE}{name}", value)

    @property
    def attrib(self) -> Any:
        """All attributes."""
        inherited: Any = super()
        return _Attributes(self, inherited.attrib)

    @property
    def text(self) -> Any:
        """The text in front of the first element inside."""
        inherited: Any = super()
        value = inherited.text
        if not value:
            self.log.lacks(self.path, [INNER_TEXT])
        return self.log.has(self.path, INNER_TEXT, value) if value else value

    @text.setter
    def text(self, value: Any) -> None:
        inherited: Any = super(_RecordingElement, type(self))
        inherited.text.__set__(self, value)


class _Attributes(dict[str, Any]):
    """The attributes of an element."""

    def __init__(self, element: Any, known: Any) -> None:
        super().__init__(known)
        self._element = element

    def __getitem__(self, name: str) -> Any:
        value = self._element.get(name)
        return dict.__getitem__(self, name) if value is None else value

    def get(self, name: str, default: Any = None) -> Any:
        """Return the value of an attribute."""
        return self._element.get(name, default)


_PLACE = "_evosearch_place"
"""Attribute of a tag of `bs4`: the log, and where the tag is in the document."""


class _SoupWatch:
    """Makes functions for classes of `bs4` that record."""

    def __init__(self, reads: AnswerReads, tag_class: Any) -> None:
        self._reads, self._tag_class = reads, tag_class

    def install(self, patches: Patches, soup: Any) -> None:
        """Record until `patches` end."""
        tag_class = self._tag_class
        patches.wrap(soup, "__init__", self._making)
        for name in ("find", "find_all"):
            real = getattr(tag_class, name)
            patches.setattr(tag_class, name, self._asking(real, _steps_of_find, name == "find_all"))
        for name in ("select", "select_one"):
            real = getattr(tag_class, name)
            patches.setattr(tag_class, name, self._asking(real, _steps_of_css, name == "select"))
        for name in ("get", "__getitem__"):
            patches.wrap(tag_class, name, self._getting)
        get_text = self._reading(tag_class.get_text)
        patches.setattr(tag_class, "get_text", get_text)
        patches.setattr(tag_class, "text", property(get_text))

    def _making(self, real: Any) -> Any:
        def make(soup: Any, markup: Any = "", *arguments: Any, **keywords: Any) -> None:
            if self._reads.is_serving and hasattr(markup, "read"):
                markup = markup.read()
            served = self._reads.parsed_as(HTML, markup) if self._reads.is_serving else None
            real(soup, markup, *arguments, **keywords)
            if served is not None:
                self._place(soup, served)

        return make

    def _place(self, soup: Any, served: Served) -> None:
        """Note for each tag where it is in the document."""
        log, places = _Places(served.log), iter(served.places)
        vars(soup)[_PLACE] = (log, ())
        for one in soup.descendants:
            if isinstance(one, self._tag_class):
                path: JsonPath = () if one.name in _AROUND else next(places, ())
                vars(one)[_PLACE] = (log, path)

    def _asking(self, real: Any, steps: Callable[..., list[str]], several: bool) -> Any:
        def ask(tag: Any, *arguments: Any, **keywords: Any) -> Any:
            found, place = real(tag, *arguments, **keywords), vars(tag).get(_PLACE)
            if place is not None and not found:
                place[0].lacks(place[1], steps(*arguments, **keywords), several)
            return found

        return ask

    def _getting(self, real: Any) -> Any:
        def get(tag: Any, name: Any, *default: Any) -> Any:
            place = vars(tag).get(_PLACE)
            if place is None or not isinstance(name, str):
                return real(tag, name, *default)
            if name not in tag.attrs:
                place[0].lacks(place[1], [f"{ATTRIBUTE}{name}"])
                return real(tag, name, *default)
            value = tag.attrs[name]
            is_list = isinstance(value, list)
            return value if is_list else place[0].has(place[1], f"{ATTRIBUTE}{name}", value)

        return get

    def _reading(self, real: Any) -> Any:
        def get_text(tag: Any, *arguments: Any, **keywords: Any) -> Any:
            text, place = real(tag, *arguments, **keywords), vars(tag).get(_PLACE)
            if place is None or any(isinstance(one, self._tag_class) for one in tag.children):
                return text
            if not text:
                place[0].lacks(place[1], [INNER_TEXT])
            return place[0].has(place[1], INNER_TEXT, text)

        return get_text


def _steps_of_css(selector: str, *_others: Any, **_named: Any) -> list[str]:
    return _steps_of_selector(selector)


def _steps_of_find(name: Any = None, attrs: Any = None, *_others: Any, **named: Any) -> list[str]:
    """Return the element that `find` looks for: its name, classes and attributes."""
    named.update({"class_": attrs} if isinstance(attrs, str) else attrs or {})
    tag = name[0] if isinstance(name, (list, tuple)) and name else name
    selector = tag if isinstance(tag, str) else "div"
    if name is True:
        return []
    for attribute, value in named.items():
        if attribute in ("class_", "class") and isinstance(value, str):
            selector += "".join(f".{one}" for one in value.split())
        elif attribute == "id" and isinstance(value, str):
            selector += f"#{value}"
        elif value is True:
            selector += f"[{attribute}]"
        elif isinstance(value, str) and attribute not in ("string", "text", "recursive", "limit"):
            selector += f'[{attribute}="{value}"]'
    return [selector]
