"""Distinguishes values that are already taken from wrong ones: ``taken_name``.

The status or the words of the response say so. An earlier call stored the value, or the response
names this input.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from collections.abc import Sequence

from pytest_evosearch.core.english import snake_case
from pytest_evosearch.core.http_words import STORING
from pytest_evosearch.core.vocabulary import UNIQUE
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.write.answers.messages import answer_text
from pytest_evosearch.write.answers.page_texts import page_texts
from pytest_evosearch.write.content.inputs import BODY
from pytest_evosearch.write.content.inputs import LINKED
from pytest_evosearch.write.content.inputs import Slot
from pytest_evosearch.write.content.inputs import identifies
from pytest_evosearch.write.content.inputs import mentions
from pytest_evosearch.write.content.inputs import slots_of

TAKEN = "taken"
"""Category of conditions about values that are already in use."""

CONFLICT = 409

_REFUSED = (400, CONFLICT, 422)

_SAYS_SO = re.compile(
    r"\b(?:already|exists?|taken|in use|duplicated?|registered|unique)\b", re.IGNORECASE
)
_SAYS_NOT = re.compile(r"\b(?:not|no|never|nothing|unknown|\w+n'?t)\b", re.IGNORECASE)
MOST_TAKEN = 2


def taken_inputs(exchange: Exchange, earlier: Sequence[Exchange]) -> str:
    """Return the inputs of a refused call that are taken, ``name_and_email``; mostly empty.

    `earlier` are the calls before it in its test.
    """
    if exchange.status == 200:
        return _taken_in_form(exchange, earlier)
    if exchange.status not in _REFUSED:
        return ""
    text = answer_text(exchange)
    says_so = bool(_SAYS_SO.search(text)) and not _SAYS_NOT.search(text)
    if not says_so and exchange.status != CONFLICT:
        return ""
    mine = {slot: value for slot, value in slots_of(exchange.request).items() if slot[0] in BODY}
    stored = _stored(exchange, earlier, says_so, mine)
    named = [slot for slot in stored if mentions(text, slot[1])]
    taken = named or [slot for slot in stored if _is_own(slot[1])]
    if not taken and says_so and not stored:
        taken = [slot for slot in mine if mentions(text, slot[1])]
        taken = taken if len(taken) == 1 else []
    names = list(dict.fromkeys(snake_case(name) for _, name in taken))
    return "_and_".join(names) if len(names) <= MOST_TAKEN else ""


def _taken_in_form(exchange: Exchange, earlier: Sequence[Exchange]) -> str:
    """Return the input that a form, shown again, reports as taken.

    A registration page may always mention registered users, so the message must name the stored
    value.
    """
    response, request = exchange.response, exchange.request
    if request.method != "POST" or response is None or not response.has_form:
        return ""
    through = [one for one in earlier if one.request.endpoint == request.endpoint]
    mine = {slot: value for slot, value in slots_of(request).items() if slot[0] in BODY}
    stored = _stored(exchange, [one for one in through if 300 <= one.status < 400], True, mine)
    texts = [one.text for one in page_texts(response.text) if _SAYS_SO.search(one.text)]
    named = [slot for slot in stored if any(mentions(text, slot[1]) for text in texts)]
    return snake_case(named[0][1]) if len(named) == 1 else ""


def _stored(
    exchange: Exchange, earlier: Sequence[Exchange], says_so: bool, mine: Mapping[Slot, object]
) -> list[Slot]:
    """Return the inputs whose values an earlier successful call sent.

    When the response does not say that they are taken, the earlier call must be of this endpoint.
    """
    served = [
        slots_of(one.request)
        for one in earlier
        if one.status < 400 and one.request.method in STORING
        if says_so or one.request.endpoint == exchange.request.endpoint
    ]
    return [
        slot
        for slot, value in mine.items()
        if value not in (None, "", LINKED) and any(_sends(one, slot, value) for one in served)
    ]


def _sends(slots: Mapping[Slot, object], slot: Slot, value: object) -> bool:
    return any(name == slot[1] and sent == value for (_, name), sent in slots.items())


def _is_own(name: str) -> bool:
    return identifies(name) or UNIQUE.is_meant_by(name)
