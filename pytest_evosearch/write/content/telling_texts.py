"""Chooses the texts of a page that show the effect of a call, and ignores texts of all pages.

    0   messages, unless nothing was refused and they are in a template or on many pages
    1   texts with a value that was sent, in this request or before it
    2   texts that are in no template: stored values, texts of the handler
    3   texts of a template: they show which one was rendered
    4   texts that pages of other endpoints contain as well: navigation
    5   texts that the same page contained before

Inside a tier, texts on few pages of this endpoint come first; in the last two tiers, texts on few
pages of other endpoints.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import field

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.write.answers.page_texts import MESSAGE
from pytest_evosearch.write.answers.page_texts import SHORTEST_ECHO
from pytest_evosearch.write.answers.page_texts import SHORTEST_TEXT
from pytest_evosearch.write.answers.page_texts import PageText
from pytest_evosearch.write.answers.page_texts import page_texts
from pytest_evosearch.write.answers.page_texts import says_only_the_status
from pytest_evosearch.write.answers.page_texts import script_texts

_REASONS_FIRST = {0: 0, 2: 1, 4: 2, 1: 3, 3: 4, 5: 5, 6: 6}
"""Rank of a text -> its rank on a page that refuses: sentences come before headings."""

DETERMINED = 2
"""Last tier of texts that something other than a template determined."""

NAVIGATION = 4
"""Tier of a text that pages of other endpoints show, too."""

SHOWN_BEFORE = 5
"""Tier of a text that the page showed before any form was sent: the least informative one."""

MOST_TEXTS = 3
"""Most asserted texts of one page: title, author and first line distinguish entries."""

FEWEST_WITH_NAVIGATION = 2
"""Fewest other endpoints with a text that counts as navigation: an entry may be on two pages."""

FEWEST_WORDS = 3
"""Fewest words of a sentence: ``Uh-oh!`` stands before each message."""

_CONTROLS = ("label", "option", "button")
"""Elements whose text names a control: it comes from a form's code, not from data."""


_WAYS_ON = ("a", *_CONTROLS)
"""Elements for the next step on an error page."""

_CODE = re.compile(r"\{[{%].*?[%}]\}", re.DOTALL)
_MARKUP = re.compile(r"\{[{%#].*?[%}#]\}|<[^<>]*>", re.DOTALL)
_KEY = re.compile(r"\W*(?=[a-f-]*\d)[0-9a-f][0-9a-f-]{15,}\W*", re.IGNORECASE)
"""A hash, a UUID, a token: random or computed, so not informative for a reader."""

_UNFILLED = re.compile(r"\{\{|\}\}|\{%|%\}|\w [.,](?:\s|$)|\bNone[.,!]?$")
"""A sentence with an empty slot (``logged in as .``), or a mark that no template has filled."""

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")


@dataclass(frozen=True)
class Wording:
    """The constant texts in the templates of an application."""

    sources: str = ""
    words: frozenset[str] = frozenset()
    """Words between the tags: a title is often composed from several templates."""

    @classmethod
    def of(cls, sources: str) -> Wording:
        """Read the sources of templates."""
        said = _MARKUP.sub(" ", sources)
        quoted = [match[0] for code in _CODE.findall(sources) for match in _QUOTED.finditer(code)]
        phrases = [text for text in quoted if " " in text or not text.islower()]
        return cls(sources, frozenset(re.findall(r"\w+", " ".join((said, *phrases)))))

    def has(self, text: str) -> bool:
        """Say whether `text` may come from templates alone."""
        if not self.sources:
            return False
        return text in self.sources or self.words.issuperset(re.findall(r"\w+", text))


@dataclass(frozen=True)
class Foils:
    """Pages in which the distinctive text of another page should not occur."""

    siblings: Sequence[str] = ()
    """Other pages of this endpoint: the fewer show the text, the better."""
    served: Sequence[str] = ()
    """This page before any form was sent: its texts say nothing about a refusal."""
    strangers: Sequence[str] = ()
    """Texts of other endpoints' pages, page by page: their common texts are navigation."""
    wording: Wording = field(default_factory=Wording)
    """Texts of the application's templates: they only show which one was rendered."""
    read: str = ""
    """Pages of other endpoints that were only read.

    A message on them is about an earlier action (``flash``), and so may be this message here.
    """
    again: Sequence[str] = ()
    """This page at another time: texts that it lacks differ between runs."""


@dataclass(frozen=True)
class Circumstances:
    """Properties of a page's response that matter for assertions."""

    hints: frozenset[str] = frozenset()
    """Values of this request and of earlier ones."""
    wordy: bool = False
    """Omit texts with digits, because an unknown part of the page is unstable.

    Dates, counters and tokens contain digits, headings seldom do.
    """
    failed: bool = False
    """Whether the response has an error status: texts that repeat it are omitted."""
    refused: bool = False
    """Whether the page gives a reason in a sentence."""
    unreliable: Callable[[str], bool] = lambda _text: False
    """Says whether a text is only right on this machine, or only today."""


def distinctive_texts(body: str, foils: Foils, around: Circumstances) -> tuple[str, ...]:
    """Return the most informative texts of `body`, the best one first; usually one.

    Messages come first, then texts with a sent value, then texts from no template (stored values),
    then texts that few other pages have. For a page that refuses nothing, further texts follow that
    something other than a template determined. They have the form ``>Kz<`` where they are the whole
    text of an element.
    """
    candidates = [
        found
        for found in (*page_texts(body), *_said_in_scripts(body, foils, around))
        if _says_something(found.text, around) and all(found.text in page for page in foils.again)
    ]
    tiers = [_tier(candidate, foils, around) for candidate in candidates]
    contenders = _contenders(tiers, [one.tag for one in candidates], around)

    def order(place: int) -> tuple[int, int, int, int, int, int, int, str]:
        text, rank, tier = candidates[place].text, candidates[place].rank, tiers[place]
        seen = sum(text in page for page in foils.siblings)
        elsewhere = tier >= NAVIGATION or around.refused
        shared = sum(text in page for page in foils.strangers) if elsewhere else 0
        if around.refused and tier < SHOWN_BEFORE:
            first = shared if tier >= NAVIGATION else 0
            reason = _REASONS_FIRST[rank]
            # Any form says "This field is required."
            is_label = len(text.split()) < FEWEST_WORDS
            dressed = is_label + ("&" in text)
            return (tier, first, reason, shared, seen, dressed, len(text), text)
        length = place if tier <= DETERMINED else len(text)
        return (tier, shared, seen, rank, 0, "&" in text, length, text)

    chosen: list[int] = []
    for place in sorted(contenders, key=order):
        further = tiers[place] <= DETERMINED and foils.wording.sources and not around.refused
        if not chosen or (further and not _repeats(place, chosen, candidates)):
            chosen.append(place)
        if not further or len(chosen) == MOST_TEXTS:
            break
    return tuple(
        _delimited(candidates[place], body, foils)
        if tiers[place] <= DETERMINED
        else candidates[place].text
        for place in chosen
    )


def _said_in_scripts(body: str, foils: Foils, around: Circumstances) -> Iterator[PageText]:
    """Yield the sentences in scripts of a refusal that not every other answer has."""
    others = (*foils.served, *foils.siblings) if around.refused else ()
    for found in script_texts(body) if others else ():
        if not all(found.text in page for page in others) and not _shows_any(
            found.text, around.hints
        ):
            yield found


def _contenders(tiers: Sequence[int], tags: Sequence[str], around: Circumstances) -> Sequence[int]:
    """Return the places of texts that may be chosen.

    Searching every text of a long page in all other pages takes long.
    """
    best = max(DETERMINED, min(tiers, default=0))
    found = [place for place, tier in enumerate(tiers) if tier <= best]
    if not around.failed:
        return found
    # Texts of other pages say less than the status, and so does "Go back".
    return [one for one in found if tiers[one] < NAVIGATION and tags[one] not in _WAYS_ON]


def vanished_text(body: str, after: str, foils: Foils, around: Circumstances) -> str | None:
    """Return a text of the page `body` that the page `after` lacks, None without one.

    An example is the text of a deleted or renamed entry. A template's text counts only when the
    page has no new text instead. A text that differs each time (``Page: 2.06 ms``) does not count.
    """
    ever_new = _shapes_that_vary(after, foils.again)
    earlier = [
        one
        for one in page_texts(body)
        if _says_something(one.text, around) and _shape(one.text) not in ever_new
    ]
    gone = [one for one in earlier if one.text not in after and not foils.wording.has(one.text)]
    if not gone and not any(one.text not in body for one in page_texts(after)):
        gone = [one for one in earlier if one.text not in after]
    gone = [one for one in gone if one.tag not in _CONTROLS]
    return min(gone, key=lambda one: one.rank).text if gone else None


def _shapes_that_vary(page: str, again: Sequence[str]) -> frozenset[str]:
    """Return the shapes of texts of a page that differ at another time."""
    return frozenset(
        _shape(one.text)
        for one in page_texts(page)
        if any(one.text not in other for other in again)
    )


def _shape(text: str) -> str:
    """Return a text without its numbers."""
    return _NUMBER.sub("0", text)


def _says_something(text: str, around: Circumstances) -> bool:
    """Say whether a text can represent its page."""
    is_sent = text in around.hints and len(text) >= SHORTEST_TEXT
    if not (is_sent or re.search(r"\w{2}", text)) or (around.wordy and re.search(r"\d", text)):
        return False
    if _KEY.fullmatch(text) and text not in around.hints:
        return False
    if _UNFILLED.search(text) and text not in around.hints:
        return False
    if (around.failed and says_only_the_status(text)) or around.unreliable(text):
        return False
    return len(text) >= SHORTEST_TEXT or text in around.hints


def _repeats(place: int, chosen: Sequence[int], candidates: Sequence[PageText]) -> bool:
    """Say whether a text is part of a chosen one, or contains it."""
    text = _asserted_text(candidates[place])
    others = [_asserted_text(candidates[one]) for one in chosen]
    return any(text in other or other in text for other in others)


def _asserted_text(found: PageText) -> str:
    """Return a text without the part that only shows that it was typed into a form."""
    return found.text[len('value="') : -1] if found.tag == "input" else found.text


def _delimited(found: PageText, body: str, foils: Foils) -> str:
    """Return ``>text<`` for the whole text of an element: ``Title`` does not match ``XTitleX``."""
    whole = f">{found.text}<"
    return whole if all(whole in page for page in (body, *foils.again)) else found.text


def _tier(candidate: PageText, foils: Foils, around: Circumstances) -> int:
    """Return the tier of a text, by where else it occurs; 0 is the most informative."""
    text = candidate.text
    if any(text in page for page in foils.served):
        return SHOWN_BEFORE
    is_fixed = foils.wording.has(text)
    is_message = candidate.rank == MESSAGE and candidate.tag not in _CONTROLS
    if is_message and around.refused:
        return NAVIGATION if text in foils.read else 0
    # any first page may say "Logged in!"
    if is_message and not is_fixed and _is_rare(text, foils):
        return 0
    if not is_fixed and _shows_any(text, around.hints):
        return 1
    is_determined = foils.wording.sources and not is_fixed and candidate.tag not in _CONTROLS
    if is_determined and _is_rare(text, foils):
        return DETERMINED
    return NAVIGATION if any(text in page for page in foils.strangers) else 3


def _is_rare(text: str, foils: Foils) -> bool:
    """Say whether so few other pages show a text that it is no navigation."""
    shown = (True for page in foils.strangers if text in page)
    return sum(itertools.islice(shown, FEWEST_WITH_NAVIGATION)) < FEWEST_WITH_NAVIGATION


def _shows_any(text: str, hints: Iterable[str]) -> bool:
    return any(
        hint == text or (len(hint) >= SHORTEST_TEXT and hint in text)
        for hint in hints
        if len(hint) >= SHORTEST_ECHO
    )
