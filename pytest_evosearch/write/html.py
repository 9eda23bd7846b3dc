"""Finds the text of an HTML page that tells what happened: messages, headings, titles."""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from http import HTTPStatus

LONGEST_TEXT = 80
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
_REASONS_FIRST = {0: 0, 2: 1, 4: 2, 1: 3, 3: 4, 5: 5, 6: 6}
"""Rank of a text -> its rank on a page that refuses something: sentences before headings."""

_HEADING = re.compile(r"h[1-6]")
_STATUS_TEXT = re.compile(
    r"(\d{3}:? )?(" + "|".join(re.escape(status.phrase) for status in HTTPStatus) + r")[.!]?",
    re.IGNORECASE,
)
"""``Not Found``, ``404 Not Found``: says no more than the status does."""

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


MESSAGE = 0
"""Rank of a text in an element made for messages."""

HEADING = 1

PARAGRAPH = 2
"""Rank of running text."""

OTHER = 4
"""Rank of a text in an element that says nothing of its role."""

SHOWN_BEFORE = 4
"""Tier of a text that the page had before anything was submitted: it tells least."""


@dataclass(frozen=True)
class PageText:
    """A text of a page; a smaller `rank` says more about what happened."""

    text: str
    rank: int


@dataclass(frozen=True)
class Foils:
    """Pages that the distinctive text of another page must not, or had better not, occur in."""

    siblings: Sequence[str] = ()
    """Other pages of the same endpoint: the fewer of them show the text the better."""
    served: Sequence[str] = ()
    """The same page before anything was submitted: what it shows tells nothing of a refusal."""
    strangers: Sequence[str] = ()
    """Pages of other endpoints: what they share is navigation."""


class _TextCollector(HTMLParser):
    """Collects the texts of a page with the element that holds them."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.found: list[PageText] = []
        self._open: list[tuple[str, bool]] = []
        self._gathered = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element."""
        self.flush()
        if tag in _VOID:
            return
        classes = " ".join(value or "" for name, value in attrs if name in ("class", "role", "id"))
        self._open.append((tag, bool(_MESSAGE_CLASS.search(classes))))

    def handle_endtag(self, tag: str) -> None:
        """Close the innermost open element of that name, and what was left open inside."""
        self.flush()
        for index in range(len(self._open) - 1, -1, -1):
            if self._open[index][0] == tag:
                del self._open[index:]
                return

    def handle_data(self, data: str) -> None:
        """Gather a stretch of text."""
        self._gathered += data

    def handle_entityref(self, name: str) -> None:
        """Gather ``&amp;`` as it stands in the source."""
        self._gathered += f"&{name};"

    def handle_charref(self, name: str) -> None:
        """Gather ``&#39;`` as it stands in the source."""
        self._gathered += f"&#{name};"

    def flush(self) -> None:
        """Keep what was gathered, line by line."""
        data, self._gathered = self._gathered, ""
        if any(tag in _SILENT for tag, _ in self._open):
            return
        for line in data.splitlines():
            text = line.strip()
            if SHORTEST_ECHO <= len(text) <= LONGEST_TEXT:
                self.found.append(PageText(text, self._rank()))

    def _rank(self) -> int:
        if any(is_message for _, is_message in self._open[-2:]):
            return MESSAGE
        tag = self._open[-1][0] if self._open else ""
        if _HEADING.fullmatch(tag):
            return HEADING
        if tag in ("p", "li", "td", "dd", "strong", "em", "span"):
            return PARAGRAPH
        return {"title": 3, "label": 5, "a": 5, "option": 6, "button": 6}.get(tag, OTHER)


def page_texts(body: str) -> list[PageText]:
    """Return the texts of a page as they stand in its source, in order of appearance."""
    collector = _TextCollector()
    try:
        collector.feed(body)
        collector.close()
        collector.flush()
    except (AssertionError, ValueError):  # the standard parser gives up on some broken markup
        return collector.found
    return collector.found


def says_only_the_status(text: str) -> bool:
    """Say whether a text of an error page is the framework's default one for its status."""
    return bool(_STATUS_TEXT.fullmatch(text)) or text.startswith(_STANDARD_ERRORS)


def distinctive_text(
    body: str,
    foils: Foils,
    hints: Iterable[str] = (),
    *,
    wordy: bool = False,
    failed: bool = False,
    refused: bool = False,
) -> str | None:
    """Return the most telling text of `body`, or None.

    Messages come first, then what shows one of `hints` (values of the request), then what
    few other pages have.  `wordy` leaves out texts with digits, for pages of which some part
    changes: dates, counters and tokens have digits, headings seldom do.  `failed` pages have
    an error status that says enough by itself, those of the `refused` say why in a sentence.
    """
    wanted = {hint for hint in hints if len(hint) >= SHORTEST_ECHO}
    texts = [
        found
        for found in page_texts(body)
        if re.search(r"\w{2}", found.text)
        and (len(found.text) >= SHORTEST_TEXT or found.text in wanted)
        and not (wordy and re.search(r"\d", found.text))
        and not (failed and says_only_the_status(found.text))
    ]

    def order(candidate: PageText) -> tuple[int, int, int, int, int, str]:
        text = candidate.text
        seen = sum(text in page for page in foils.siblings)
        tier = _tier(candidate, foils, wanted)
        if refused and tier < SHOWN_BEFORE:
            return (tier, _REASONS_FIRST[candidate.rank], seen, "&" in text, len(text), text)
        return (tier, seen, candidate.rank, "&" in text, len(text), text)

    return min(texts, key=order).text if texts else None


def _tier(candidate: PageText, foils: Foils, wanted: Iterable[str]) -> int:
    """Return how much a text says by where else it stands; 0 says most."""
    text = candidate.text
    if any(text in page for page in foils.served):
        return SHOWN_BEFORE
    if candidate.rank == MESSAGE:
        return 0
    if any(hint == text or (len(hint) >= SHORTEST_TEXT and hint in text) for hint in wanted):
        return 1
    return 3 if any(text in page for page in foils.strangers) else 2
