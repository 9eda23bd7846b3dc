"""Finds the texts of an HTML page: messages, headings and titles, with their elements."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from http import HTTPStatus
from typing import NamedTuple
from xml.etree.ElementTree import HTML_EMPTY

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.problem.http.exchanges.framework_words import is_framework_sentence

LONGEST_TEXT = 80
"""Most characters of an asserted text that still reads as one phrase."""

LONGEST_MESSAGE = 160
"""Most characters of a text in an element for messages, which takes two lines."""

SHORTEST_TEXT = 3
"""Fewest characters of a meaningful text."""

SHORTEST_ECHO = 2
"""Fewest characters of a text that repeats a sent value: shorter ones occur everywhere."""

_SILENT = {"script", "style", "template", "svg", "noscript"}
_MESSAGE_CLASS = re.compile(
    r"flash|error|alert|message|invalid|warning|danger|notice|help", re.IGNORECASE
)
_MESSAGE_TAGS = ("message", "errormessage", "reason", "detail", "faultstring")
"""Elements of error messages in XML responses; HTML has none with these names."""

_HEADING = re.compile(r"h[1-6]")
_STATUS_TEXT = re.compile(
    r"(?=.*\w)(error )?([45]\d\d)?[:\s-]*(page )?("
    + "|".join(re.escape(status.phrase) for status in HTTPStatus)
    + r")?[.!]?[:\s-]*([45]\d\d)?",
    re.IGNORECASE,
)
"""``Not Found``, ``404 Not Found``, ``Page Not Found - 404``: texts that only repeat the status."""

GENERIC = ("validation error", "validation failed", "invalid request", "invalid data", "failed")
"""Sentences that fit any refusal, in lower case."""


MESSAGE = 0
"""Rank of a text in an element made for messages."""

HEADING = 1

PARAGRAPH = 2
"""Rank of running text."""

OTHER = 4
"""Rank of a text in an element without a particular role."""

BESIDE = 6
"""Rank of a text that only offers a next step, such as a link or a button."""

_BESIDE = ("nav", "footer", "button")

_ACTIONS = ("a", "button")
"""Elements that are coloured like messages where they are dangerous: ``btn-danger``."""

_UNTOLD_INPUTS = ("hidden", "submit", "button", "password", "checkbox", "radio", "reset")
"""Types of inputs whose value a person does not type."""


@dataclass(frozen=True)
class PageText:
    """A text of a page; a smaller `rank` says more about the result of the call."""

    text: str
    rank: int
    tag: str = ""
    """The innermost element that contains it."""


class _Element(NamedTuple):
    """An open element."""

    tag: str
    is_message: bool
    is_beside: bool


class _TextCollector(HTMLParser):
    """Collects the texts of a page with their elements."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.found: list[PageText] = []
        self._open: list[_Element] = []
        self._gathered = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element."""
        self.flush()
        if tag == "input":
            self._keep_typed_value(dict(attrs))
        if tag in HTML_EMPTY:
            return
        classes = " ".join(value or "" for name, value in attrs if name in ("class", "role", "id"))
        is_coloured = bool(_MESSAGE_CLASS.search(classes)) and tag not in _ACTIONS
        is_message = is_coloured or tag in _MESSAGE_TAGS
        self._open.append(_Element(tag, is_message, tag in _BESIDE or "navigation" in classes))

    def _keep_typed_value(self, attributes: dict[str, str | None]) -> None:
        value = attributes.get("value") or ""
        untold = (attributes.get("type") or "").lower() in _UNTOLD_INPUTS
        if not untold and SHORTEST_ECHO <= len(value) <= LONGEST_TEXT:
            self.found.append(PageText(f'value="{value}"', OTHER, "input"))

    def handle_endtag(self, tag: str) -> None:
        """Close the innermost open element of that name, and open elements inside it."""
        self.flush()
        for index in range(len(self._open) - 1, -1, -1):
            if self._open[index].tag == tag:
                del self._open[index:]
                return

    def handle_data(self, data: str) -> None:
        """Collect a part of a text."""
        self._gathered += data

    def handle_entityref(self, name: str) -> None:
        """Collect ``&amp;`` as in the source."""
        self._gathered += f"&{name};"

    def handle_charref(self, name: str) -> None:
        """Collect ``&#39;`` as in the source."""
        self._gathered += f"&#{name};"

    def flush(self) -> None:
        """Keep the collected text, line by line."""
        data, self._gathered = self._gathered, ""
        if any(element.tag in _SILENT for element in self._open):
            return
        for line in data.splitlines():
            text = line.strip()
            rank = self._rank(text)
            longest = LONGEST_MESSAGE if rank == MESSAGE else LONGEST_TEXT
            if SHORTEST_ECHO <= len(text) <= longest:
                tag = self._open[-1].tag if self._open else ""
                self.found.append(PageText(text, rank, tag))

    def _rank(self, text: str) -> int:
        tag = self._open[-1].tag if self._open else ""
        if text.endswith(":"):
            tag = "label"  # it names the subject of the message after it
        elif any(element.is_message for element in self._open[-2:]):
            return MESSAGE
        if any(element.is_beside for element in self._open):
            return BESIDE
        if _HEADING.fullmatch(tag):
            return HEADING
        if tag in ("p", "li", "td", "dd", "strong", "em", "span"):
            return PARAGRAPH
        return {"title": 3, "label": 5, "a": 5, "option": BESIDE}.get(tag, OTHER)


def page_texts(body: str) -> list[PageText]:
    """Return the texts of a page in source form, in order of appearance."""
    collector = _TextCollector()
    try:
        collector.feed(body)
        collector.close()
        collector.flush()
    except (AssertionError, ValueError):  # the standard parser fails on some broken markup
        return collector.found
    return collector.found


_SCRIPT = re.compile(r"<script\b[^>]*>(.*?)</script>", re.DOTALL | re.IGNORECASE)
_SENTENCE_IN_CODE = re.compile(r"([\"'`])([^\W\d_][^\"'`<>{}\\\n]* [^\"'`<>{}\\\n]+)\1")
SCRIPT = "script"


def script_texts(body: str) -> list[PageText]:
    """Return the sentences in the code of a page: its script shows what the application says."""
    return [
        PageText(text, MESSAGE, SCRIPT)
        for code in _SCRIPT.findall(body)
        for _quote, text in _SENTENCE_IN_CODE.findall(code)
        if len(text) <= LONGEST_TEXT
    ]


def says_only_the_status(text: str) -> bool:
    """Say whether a text of an error page is the framework's default for its status."""
    return bool(_STATUS_TEXT.fullmatch(text)) or is_framework_sentence(text)
