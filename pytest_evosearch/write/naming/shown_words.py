"""Words for what a test asserts of an answer: ``returns_name_and_price``, ``shows_welcome``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import field

from pytest_evosearch.core.english import snake_case
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.vocabulary import IDENTIFIER
from pytest_evosearch.core.vocabulary import MOMENT
from pytest_evosearch.core.vocabulary import Certainty
from pytest_evosearch.problem.http.exchanges.exchange import MESSAGE_KEYS
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.write.answers.messages import says_none_of
from pytest_evosearch.write.answers.messages import sentence_phrase
from pytest_evosearch.write.answers.messages import shown_phrase
from pytest_evosearch.write.answers.messages import without_values
from pytest_evosearch.write.code.literals import Unstable
from pytest_evosearch.write.content.answered_body import Fact
from pytest_evosearch.write.content.telling_texts import Wording

MOST_KEYS = 3
"""Most keys of a document in a name."""

LONGEST_KEYS = 32
"""Most characters of the keys in a name."""

SHOWS_DATA = "shows_its_data"
"""Result of a page of which stored values are asserted."""

ECHO = 2
"""Dullness of a value that was sent."""

SHORTEST_WORDS = 4
"""Fewest characters of words around a number that say what it counts."""

FEWEST_AROUND = 2
"""Fewest words around a value that make a name."""

_NUMBER = re.compile(r"\d+")

PLAIN = ("text/plain", "text/html")
"""Kinds of answers that are texts."""

TYPED = 'value="'
"""Beginning of a text that only shows what stands in a field."""


@dataclass(frozen=True)
class Known:
    """What is known beside the answer: the keys of JSON objects that are asserted, and texts."""

    keys: Sequence[str] = ()
    wording: Wording = field(default_factory=Wording)
    """The texts of the application's templates."""


NOTHING_KNOWN = Known()


def asserted_keys(facts: Iterable[Fact]) -> tuple[str, ...]:
    """Return the keys of a JSON object about whose values there are facts."""
    found: dict[str, None] = {}
    for fact in facts:
        if not fact.kind.startswith(("json", "length")):
            continue
        whole = fact.value if not fact.path and isinstance(fact.value, dict) else {}
        stable = [key for key, value in whole.items() if not isinstance(value, Unstable)]
        found.update(dict.fromkeys(map(str, fact.path[:1] or stable)))
    return tuple(found)


def document_words(
    document: Mapping[str, object],
    keys: Sequence[str],
    sent: Sequence[str],
    *,
    writes: bool = False,
) -> str:
    """Return what a JSON object says, else its most telling asserted keys; empty without any.

    `sent` are the values of the test's calls: a key that is one of them is no word for its value.
    What merely comes back says less than all else, but of a call that `writes` it is the point.
    """
    words = {snake_case(value) for value in sent}
    known = [key for key in keys if key in document and snake_case(key)]
    spoken = [key for key in known if snake_case(key) not in words]
    said = _said(document, spoken, sent)
    if said:
        return f"says_{said}"
    ranks = {key: _dullness(key, document[key], sent) for key in spoken}
    written = [key for key in spoken if writes and ranks[key] == ECHO]
    best = min(ranks.values(), default=0)
    chosen = written or [key for key in spoken if ranks[key] <= max(best, 1)]
    chosen = sorted(chosen, key=lambda key: ranks[key])[:MOST_KEYS]
    while len(chosen) > 1 and len("_and_".join(chosen)) > LONGEST_KEYS:
        del chosen[-1]
    named = [snake_case(key) for key in spoken if key in chosen]
    if not named or len("_and_".join(named)) > LONGEST_KEYS:
        return ""
    *first, last = named
    return f"returns_{'_'.join(first)}_and_{last}" if first else f"returns_{last}"


def _said(document: Mapping[str, object], keys: Sequence[str], sent: Sequence[str]) -> str:
    """Return the message of a document that is no stored thing, without what was sent."""
    if any(IDENTIFIER.is_meant_by(key, Certainty.LIKELY) for key in document):
        return ""
    texts = (document[key] for key in MESSAGE_KEYS if key in keys)
    phrases = (sentence_phrase(one) for one in texts if isinstance(one, str))
    words = {snake_case(value) for value in sent}
    return next((one for one in phrases if one and words.isdisjoint(one.split("_"))), "")


def _dullness(key: str, value: object, sent: Sequence[str]) -> int:
    """Return how little a key tells about a document: each has identifiers, and dates."""
    if value in (None, "", [], {}) or IDENTIFIER.is_meant_by(key, Certainty.LIKELY):
        return 4
    if MOMENT.is_meant_by(key):
        return 3
    if not isinstance(value, (dict, list)) and str(value) in sent:
        return ECHO
    return 0 if isinstance(value, (str, dict, list)) else 1


def page_words(
    texts: Sequence[str], sent: Sequence[str], wording: Wording, asked: Mapping[str, str]
) -> str:
    """Return the first asserted text that makes a name, one of the code before one of the data.

    What was sent is no word of a name, but the words around it are, and around numbers.  `asked`
    has the names of what was searched for, by its value: a page that only repeats it
    ``echoes_q``.
    """
    plain = [text.strip("<> ") for text in texts if not text.startswith(TYPED)]
    own = [text for text in plain if says_none_of(sent, text)]
    fixed = [text for text in own if wording.has(text) or not wording.sources]
    around = [_around_values(text, sent, wording) for text in plain]
    said = [text for text in own if not any(map(str.isdigit, text))]
    phrases = map(shown_phrase, filter(None, (*fixed, *around, *said)))
    phrase = next(filter(None, phrases), "")
    if phrase:
        return f"shows_{phrase}"
    echoed = [name for value, name in asked.items() if not _is_silent_about(value, plain)]
    if len(echoed) == 1:
        return f"echoes_{echoed[0]}"
    return SHOWS_DATA if texts and not fixed else ""


def _around_values(text: str, sent: Sequence[str], wording: Wording) -> str:
    """Return the words of templates around numbers and what was sent; empty without any."""
    pieces = _NUMBER.split(without_values(text, sent))
    words = [piece.strip() for piece in pieces if len(piece.strip()) >= SHORTEST_WORDS]
    is_fixed = bool(wording.sources) and all(map(wording.has, words))
    is_telling = len(" ".join(words).split()) >= FEWEST_AROUND
    return " ".join(words) if is_telling and is_fixed else ""


def _is_silent_about(value: str, texts: Sequence[str]) -> bool:
    return not texts or any(says_none_of([value], text) for text in texts)


def plain_words(response: Response, sent: Sequence[str]) -> str:
    """Return what a short text says, or the kind of a file: ``returns_pdf``; else nothing."""
    is_seen = bool(response.body) and not response.truncated
    if response.is_json or response.is_markup or not is_seen:
        return ""
    if response.mimetype in PLAIN:
        text = response.text
        said = shown_phrase(text) if says_none_of(sent, text) else ""
        return f"says_{said}" if said and not any(map(str.isdigit, said)) else ""
    kind = snake_case(response.mimetype.rpartition("/")[2].removeprefix("x-"))
    return f"returns_{kind}" if kind else ""
