"""Reads what a response says in words: the message of an error, or a sentence in the response."""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Sequence
from html import unescape
from unicodedata import combining
from unicodedata import normalize
from xml.etree.ElementTree import Element

from pytest_evosearch.core.english import snake_case
from pytest_evosearch.core.http_words import FIRST_FAILURE
from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.core.vocabulary import ERROR
from pytest_evosearch.core.vocabulary import NOTICE
from pytest_evosearch.problem.http.exchanges.endpoint import operation_of
from pytest_evosearch.problem.http.exchanges.exchange import MESSAGE_KEYS
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.graphql_answers import ERRORS
from pytest_evosearch.problem.http.exchanges.responses import select
from pytest_evosearch.problem.http.exchanges.xml_places import leaves
from pytest_evosearch.problem.http.exchanges.xml_places import name_at
from pytest_evosearch.problem.http.exchanges.xml_places import root_of
from pytest_evosearch.write.answers.page_texts import GENERIC
from pytest_evosearch.write.answers.page_texts import HEADING
from pytest_evosearch.write.answers.page_texts import MESSAGE
from pytest_evosearch.write.answers.page_texts import OTHER
from pytest_evosearch.write.answers.page_texts import PARAGRAPH
from pytest_evosearch.write.answers.page_texts import page_texts
from pytest_evosearch.write.answers.page_texts import says_only_the_status
from pytest_evosearch.write.answers.page_texts import script_texts

LONGEST_PHRASE = 34
"""Most characters of a message that becomes part of a test's name."""

ERROR_KEYS = ERROR.words()
"""Keys of a JSON body that reports an error in spite of a good status."""

FEWEST_WORDS, MOST_WORDS = 2, 7
"""Fewest and most words of this kind of message."""

_HERALD = re.compile(rf"(?:{'|'.join(NOTICE.words())})\s*[:!-]\s*", re.IGNORECASE)
"""A word before a message that only announces it."""

_END_OF_CLAUSE = re.compile(r"[;:.!?(]|\s-\s|,(?=(?:\s*\w+\b){3})")
"""A comma counts only when more than the next item of a list follows."""

_WHAT_IS_ADDRESSED = re.compile(
    r"\s(?:to|from|of|in|on|at|by|for|with)\s(?:this|these|that|those|your)(?:\s\w+){1,2}[.!]?\s*$"
)
"""The end of a sentence that names the resource: the rest of a test's name says that."""

_WHO_IS_ADDRESSED = re.compile(r"^\s*you(?:\s(?:are|have)|'re|'ve)\s", re.IGNORECASE)
"""The beginning of a sentence to the caller: the name says who calls where that matters."""

NOT_FIRST = ("please", "the", "a", "an")
"""Words that may begin a message, but are omitted in a name."""


FEWEST_IN_A_SENTENCE = 4
"""Fewest words of a sentence without an end."""


def _sentences(body: str, failed: bool) -> Iterator[str]:
    """Yield the sentences of a page: messages, then running text; of error pages headings, too."""
    ranks = (MESSAGE, HEADING, PARAGRAPH, OTHER) if failed else (MESSAGE, PARAGRAPH)
    ranked = [found for found in page_texts(body) if found.rank in ranks]
    for found in sorted(ranked, key=lambda one: one.rank):
        if not says_only_the_status(found.text):
            yield found.text


def message_phrase(
    exchange: Exchange, values: tuple[str, ...], asserted: Sequence[str] | None = None
) -> str:
    """Return a short message as part of a name: ``not_enough_in_stock``; empty for a long one.

    Words that repeat one of the sent `values` are omitted, because they would change with the
    values. For a page, the message is an `asserted` text, where those are known: the first heading
    may be the name of the site.
    """
    message = _message(exchange)
    is_page = exchange.response is not None and exchange.response.is_markup
    if (
        is_page
        and asserted is not None
        and not any(asserts_message(message, one) for one in asserted)
    ):
        return ""
    return _phrase(message, values, FEWEST_WORDS)


def crash_phrase(message: str, values: tuple[str, ...]) -> str:
    """Return the short message of an exception as part of a name, without the sent `values`."""
    return _phrase(message, values, 1)


def new_message(
    page: str,
    before: str,
    others: Sequence[Sequence[str]] = (),
    asserted: Sequence[str] | None = None,
) -> str:
    """Return a message of `page` that `before` lacks, as part of a name; empty without one.

    Where the `asserted` texts are known, it is part of one. Of several messages, the one on the
    fewest `others` is chosen, group by group: pages of other endpoints, then of this endpoint.
    """
    found = sorted(
        new_messages(page, before, asserted),
        key=lambda text: [sum(text in other for other in group) for group in others],
    )
    phrases = (_phrase(unescape(text), (), 1) for text in found if not text.endswith(":"))
    return next((phrase for phrase in phrases if phrase and phrase not in NOTICE.words()), "")


def new_messages(page: str, before: str, asserted: Sequence[str] | None) -> list[str]:
    """Return the messages of `page` that `before` lacks; of known `asserted` texts, theirs."""
    return [
        one.text
        for one in (*page_texts(page), *script_texts(page))
        if one.rank == MESSAGE
        and one.tag not in ("a", "button", "label", "option")
        and one.text not in before
        and (asserted is None or any(asserts_message(one.text, text) for text in asserted))
    ]


def new_sentences(page: str, before: str, asserted: Sequence[str]) -> list[str]:
    """Return the asserted sentences of a page that it did not show before, wherever they stand.

    A page may show what a call says in any element.  A sentence has an end, or more words than a
    name or a title mostly has.
    """
    return [
        one.text
        for one in page_texts(page)
        if one.text not in before
        and any(asserts_message(one.text, text) for text in asserted)
        and (one.text.endswith((".", "!")) or len(one.text.split()) >= FEWEST_IN_A_SENTENCE)
        and len(one.text.split()) >= FEWEST_WORDS
    ]


def sentence_phrase(sentence: str) -> str:
    """Return a sentence as part of a name; empty for a long one."""
    return _phrase(unescape(sentence), (), FEWEST_WORDS)


def without_values(sentence: str, values: Sequence[str]) -> str:
    """Return a sentence without sent `values`, where these are whole words of it."""
    for value in sorted(filter(None, values), key=len, reverse=True):
        sentence = re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", "", sentence)
    return " ".join(sentence.split())


def says_none_of(values: Sequence[str], text: str) -> bool:
    """Say whether a text has no sent value as a whole word."""
    return without_values(text, values) == " ".join(text.split())


def shown_phrase(text: str) -> str:
    """Return a short text of a page as part of a name: ``login``; empty for a long one."""
    return _phrase(unescape(text), (), 1)


def asserts_message(message: str, asserted: str) -> bool:
    """Say whether a test that asserts a text asserts (the best part of) a message."""
    text = asserted.strip("<> ")
    return message in asserted or (text in message and len(text) * 2 >= len(message))


_UNSPEAKABLE = re.compile(r"[{}<>&]|\d{5}|\d\W\d|[^\W\d]\d|\d[^\W\d]")
"""Markup, and keys and dates: long numbers, numbers with several parts, or inside words."""


def _phrase(message: str, values: tuple[str, ...], fewest: int) -> str:
    """Return `message` as part of a name; if it is too long, its first clause."""
    message = _without_accents(message)
    if not message or not message.isascii() or _UNSPEAKABLE.search(message):
        return ""
    sent = {value.strip().lower() for value in values} - {*NOT_FIRST}
    if not sent.isdisjoint(re.findall(r"\d+", message)):
        return ""  # without its numbers a sentence has another meaning
    message = _HERALD.sub("", message, count=1) if _HERALD.match(message) else message
    message = _without_address(message)
    clause = _without_address(_END_OF_CLAUSE.split(message)[0])
    for part, least in ((message, fewest), (clause, FEWEST_WORDS)):
        spoken = [word for word in re.findall(r"[\w']+", part) if word.lower() not in sent]
        while spoken and spoken[0].lower() in NOT_FIRST:
            del spoken[0]
        phrase = snake_case("_".join(word.replace("'", "") for word in spoken))
        if least <= len(spoken) <= MOST_WORDS and len(phrase) <= LONGEST_PHRASE:
            return phrase
    return ""


def _without_accents(message: str) -> str:
    """Return a text with plain letters for those with accents: ``invalido`` for ``inválido``."""
    letters = normalize("NFKD", message)
    return "".join(letter for letter in letters if not combining(letter))


def _without_address(message: str) -> str:
    """Return a sentence without its addressee and without the resource, if enough remains."""
    for pattern in (_WHAT_IS_ADDRESSED, _WHO_IS_ADDRESSED):
        shorter = pattern.sub("", message, count=1)
        message = shorter if len(shorter.split()) >= FEWEST_WORDS else message
    return message


def _message(exchange: Exchange) -> str:
    response = exchange.response
    if response is None:
        return ""
    if operation_of(exchange.request.template):
        return _message_of_operation(exchange, response)
    root = root_of(response)
    if root is not None and (_is_refusal(response) or response.status == 200):
        return next(_xml_messages(root, response.status == 200), "")
    if not _is_refusal(response):
        return next(iter(response.messages(ERROR_KEYS)), "") if response.status == 200 else ""
    if response.is_json:
        texts = response.messages() or _bare_text(response)
        return next((text for text in texts if _says_why(text)), "")
    if response.is_markup:
        return next(iter(_sentences(response.text, True)), "")
    return response.text if len(response.text) <= LONGEST_PHRASE + 4 else ""


def _is_refusal(response: Response) -> bool:
    return FIRST_REFUSAL <= response.status < FIRST_FAILURE


def _xml_messages(root: Element, only_errors: bool) -> Iterator[str]:
    """Yield the problems that a document reports; with `only_errors`, texts inside an error."""
    for selector, text in leaves(root):
        steps = {str(step).lstrip("@").lower() for step in selector[1:]}
        is_message = name_at(selector).lower() in MESSAGE_KEYS
        if only_errors and steps.isdisjoint(ERROR_KEYS):
            continue
        if is_message and _says_why(text) and not text.isdigit():
            yield text


def _says_why(text: str) -> bool:
    return not says_only_the_status(text) and text.lower() not in GENERIC


def _bare_text(response: Response) -> list[str]:
    """Return the text of a JSON body that is only a text."""
    try:
        content = response.json()
    except (ValueError, RecursionError):
        return []
    return [content] if isinstance(content, str) else []


def _message_of_operation(exchange: Exchange, response: Response) -> str:
    """Return the message in GraphQL's errors, or in the errors of an operation's result."""
    field = operation_of(exchange.request.template).partition(".")[2]
    given = select(exchange, ("json", "data", field))
    errors = [given.get(name) for name in ERRORS] if isinstance(given, dict) else []
    texts = [text for one in errors for text in (one if isinstance(one, list) else [one])]
    texts += response.messages(ERROR_KEYS)
    return next((text for text in texts if isinstance(text, str)), "")
