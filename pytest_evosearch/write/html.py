"""Finds the text of an HTML page that tells what happened: messages, headings, titles."""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Sequence
from dataclasses import dataclass
from html.parser import HTMLParser

LONGEST_TEXT = 60
"""Characters of an asserted text: what still reads as one phrase."""

SHORTEST_TEXT = 3
"""Characters of a text that says something by itself."""

SHORTEST_ECHO = 2
"""Characters of a text that repeats what was sent: shorter ones occur everywhere."""

_SILENT = {"script", "style", "template", "svg", "noscript"}
_VOID = {
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr",
}  # fmt: skip
_MESSAGE_CLASS = re.compile(
    r"flash|error|alert|message|invalid|warning|danger|notice|help", re.IGNORECASE
)
_HEADING = re.compile(r"h[1-6]")

_STANDARD_ERRORS = (
    "The requested URL was not found",
    "The browser (or proxy) sent a request",
    "The method is not allowed",
    "The server could not verify",
    "You don't have the permission",
    "You don&#39;t have the permission",
    "The server encountered an internal error",
    "The server does not support the media type",
    "Did not attempt to load JSON data because",
    "The request was well-formed but",
    "You should be redirected automatically",
    "The resource identified by the request",
)
"""Openings of Werkzeug's own descriptions: they say no more than the status does."""


@dataclass(frozen=True)
class PageText:
    """A text of a page; a smaller `rank` says more about what happened."""

    text: str
    rank: int


class _TextCollector(HTMLParser):
    """Collects the texts of a page with the element that holds them."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.found: list[PageText] = []
        self._open: list[tuple[str, bool]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element."""
        if tag in _VOID:
            return
        classes = " ".join(value or "" for name, value in attrs if name in ("class", "role", "id"))
        self._open.append((tag, bool(_MESSAGE_CLASS.search(classes))))

    def handle_endtag(self, tag: str) -> None:
        """Close the innermost open element of that name, and what was left open inside."""
        for index in range(len(self._open) - 1, -1, -1):
            if self._open[index][0] == tag:
                del self._open[index:]
                return

    def handle_data(self, data: str) -> None:
        """Keep one stretch of text."""
        if any(tag in _SILENT for tag, _ in self._open):
            return
        for line in data.splitlines():
            text = line.strip()
            if SHORTEST_ECHO <= len(text) <= LONGEST_TEXT:
                self.found.append(PageText(text, self._rank()))

    def _rank(self) -> int:
        if any(is_message for _, is_message in self._open[-2:]):
            return 0
        tag = self._open[-1][0] if self._open else ""
        if _HEADING.fullmatch(tag):
            return 1
        if tag in ("p", "li", "td", "dd", "strong", "em", "span"):
            return 2
        return {"title": 3, "label": 5, "a": 5, "option": 6, "button": 6}.get(tag, 4)


def page_texts(body: str) -> list[PageText]:
    """Return the texts of a page as they stand in its source, in order of appearance."""
    collector = _TextCollector()
    try:
        collector.feed(body)
        collector.close()
    except (AssertionError, ValueError):  # the standard parser gives up on some broken markup
        return collector.found
    return collector.found


def is_standard_error(body: str) -> bool:
    """Say whether a page is the framework's default one for its status."""
    return len(body) < 1000 and any(opening in body for opening in _STANDARD_ERRORS)


def distinctive_text(
    body: str, others: Sequence[str], hints: Iterable[str] = (), wordy: bool = False
) -> str | None:
    """Return the shortest telling text of `body` that few of `others` contain, or None.

    `hints` are values of the request: a page that shows one of them is best recognised by it.
    `wordy` leaves out texts with digits, for pages of which some part changes: dates,
    counters and tokens have digits, headings seldom do.
    """
    wanted = {hint for hint in hints if len(hint) >= SHORTEST_ECHO}
    texts = [
        found
        for found in page_texts(body)
        if re.search(r"\w{2}", found.text)
        and (len(found.text) >= SHORTEST_TEXT or found.text in wanted)
        and not (wordy and re.search(r"\d", found.text))
    ]
    if not texts:
        return None

    def order(candidate: PageText) -> tuple[int, int, int, str]:
        seen_elsewhere = sum(candidate.text in other for other in others)
        echoed = candidate.text in wanted or any(
            hint in candidate.text for hint in wanted if len(hint) >= SHORTEST_TEXT
        )
        rank = -1 if echoed else candidate.rank
        return (seen_elsewhere, rank, len(candidate.text), candidate.text)

    return min(texts, key=order).text
