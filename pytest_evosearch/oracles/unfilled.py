"""Answers with a place that nothing has filled: ``{{ name }}``, ``logged in as .``, ``/None``.

A page with a script may fill marks in the browser, so marks only count on pages without any.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence

from pytest_evosearch.oracles.findings import UNSEEN
from pytest_evosearch.oracles.findings import finding
from pytest_evosearch.oracles.oracle import WithoutKnowledge
from pytest_evosearch.oracles.sent import row_texts
from pytest_evosearch.oracles.sent import sent_texts
from pytest_evosearch.oracles.sent import was_sent
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault
from pytest_evosearch.problem.http.exchanges.responses import leads_to_nothing

_LITERAL = re.compile(
    r"<(script|style|code|pre|textarea|template)\b.*?</\1\s*>|<!--.*?-->", re.DOTALL | re.IGNORECASE
)
"""Elements whose text is no sentence of the page."""

_SOMETHING = "0"
"""Stands for such an element, which may be part of a sentence: neither a letter nor a gap."""

_TEXT = re.compile(r">([^<>]*\w[^<>]*)<")
_MARK = re.compile(r"\{\{\s*\w[^{}]*\}\}|\{%\s*\w[^{}]*%\}")
_SLOT = re.compile(r"[^\W\d] [.,](?:\s|$)")

_HINTS = (b"{{", b"{%", b" .", b" ,")

MARK, SLOT = "template mark", "empty slot"

NOTHING = str(None)
"""Where a redirect without a page leads to."""


class UnfilledTextOracle(WithoutKnowledge):
    """Reports marks of templates, and sentences without the word that belongs into them."""

    code = "unfilled-text"
    explanation = (
        "a page shows a mark of its template, or a sentence with an empty slot, or a redirect "
        "leads to None"
    )
    is_minor = True
    fewest_calls = 1

    def judge_sequence(self, exchanges: Sequence[Exchange]) -> Iterable[Fault]:
        """Yield one finding for each kind that a page shows and no call has sent."""
        for call, exchange in enumerate(exchanges):
            response = exchange.response
            endpoint = exchange.request.endpoint
            so_far = [one.request for one in exchanges[: call + 1]]
            is_lost = response is not None and leads_to_nothing(response)
            if is_lost and not any(was_sent(one, NOTHING) for one in so_far):
                said = f"redirects to {NOTHING}"
                yield finding(self.code, endpoint, call, SLOT, said, UNSEEN)
            if response is None or response.status != 200 or response.mimetype != "text/html":
                continue
            for kind, text in unfilled_in(response):
                if not any(_may_come_from(one, text) for one in exchanges[: call + 1]):
                    yield finding(self.code, endpoint, call, kind, f'shows "{text}"', UNSEEN)


def _may_come_from(exchange: Exchange, text: str) -> bool:
    """Say whether a request has sent the text, or what looks like an empty slot itself.

    A sent text that ends with a space looks so in front of a comma of the page.
    """
    said = [*row_texts(exchange.request), *(sent for _place, sent in sent_texts(exchange.request))]
    gaps = [one.strip() for one in said if one.strip() and one != one.rstrip()]
    if was_sent(exchange.request, text) or any(map(_SLOT.search, said)):
        return True
    return any(
        text[: slot.start() + 1].endswith(gap) for slot in _SLOT.finditer(text) for gap in gaps
    )


def unfilled_in(response: Response) -> Iterator[tuple[str, str]]:
    """Yield the first mark, and the first sentence with an empty slot, of a page."""
    if not any(hint in response.body for hint in _HINTS):
        return
    shown = [found[1] for found in _TEXT.finditer(_LITERAL.sub(_SOMETHING, response.text))]
    marks = [found[0] for text in shown for found in _MARK.finditer(text)]
    if marks and b"<script" not in response.body.lower():
        yield MARK, marks[0]
    slots = [" ".join(text.split()) for text in shown if _SLOT.search(text)]
    if slots:
        yield SLOT, slots[0]
