"""Compares answers: which are refused, which are alike, and which show something else."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from pytest_evosearch.core.english import snake_case
from pytest_evosearch.core.http_words import ABOUT_CALLER_OR_ADDRESS
from pytest_evosearch.core.http_words import ABOUT_CONTENTS
from pytest_evosearch.core.http_words import FIRST_REDIRECT
from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.core.targets import LINE
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.execution.full_evaluation import FullEvaluation
from pytest_evosearch.problem.http.exchanges.endpoint import is_safe
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.refusals import is_told
from pytest_evosearch.problem.http.exchanges.refusals import turns_away
from pytest_evosearch.problem.http.exchanges.seen_inside import Crash
from pytest_evosearch.write.content.inputs import BODY
from pytest_evosearch.write.content.inputs import slots_of
from pytest_evosearch.write.naming.caller_credentials import PASSWORD


def differs(act: Exchange, other: Exchange) -> bool:
    """Say whether another answer shows what is special about `act`.

    A refusal or a crash differs from what is accepted.  Two accepted calls differ in the kind of
    their answers: the status, the page of a redirect, whether a list is empty, a form shown again.
    """
    if is_failing(other):
        return False
    return is_failing(act) or (answer_kind(act) != answer_kind(other) and not _leads_on(act, other))


def _leads_on(act: Exchange, other: Exchange) -> bool:
    """Say whether a write leads on and the other one shows a form: that is special, not this."""
    is_redirect = FIRST_REDIRECT <= act.status < FIRST_REFUSAL and not reads(act)
    return is_redirect and other.response is not None and other.response.has_form


def goes_further(act: Exchange, other: Exchange) -> bool:
    """Say whether a call that was turned away, or found nothing, has its contents refused now.

    Who asks, and for what, is looked at before that.  So another caller, or another address, has
    ended the first refusal, though the call is not accepted either.
    """
    return act.status in ABOUT_CALLER_OR_ADDRESS and other.status in ABOUT_CONTENTS


def sends_password(exchange: Exchange) -> bool:
    """Say whether a call that changes something sends a password, as a log-in does."""
    names = [snake_case(name) for place, name in slots_of(exchange.request) if place in BODY]
    return not reads(exchange) and any(PASSWORD in name for name in names)


def is_answered(exchange: Exchange) -> bool:
    """Say whether a view answered a call, without a crash."""
    answered = exchange.response is not None and exchange.crash is None
    return answered and exchange.sent and exchange.routed


def reads(exchange: Exchange) -> bool:
    """Say whether a call is one that changes nothing."""
    return is_safe(exchange.request.endpoint)


def is_failing(exchange: Exchange) -> bool:
    """Say whether a call was refused, or crashed."""
    if exchange.status >= FIRST_REFUSAL or not is_answered(exchange):
        return True
    return turns_away(exchange) or is_told(exchange)


def is_open(exchange: Exchange) -> bool:
    """Say whether a call may have failed: it was refused, or its form is shown again."""
    return is_failing(exchange) or leads_back(exchange)


def is_redirect(exchange: Exchange) -> bool:
    """Say whether an answer leads to another page."""
    return FIRST_REDIRECT <= exchange.status < FIRST_REFUSAL


def leads_back(exchange: Exchange) -> bool:
    """Say whether a write is followed by its own page, or shows a form again."""
    response = exchange.response
    if response is None or reads(exchange):
        return False
    if not is_redirect(exchange):
        return exchange.status < FIRST_REDIRECT and response.has_form
    own = exchange.request.template
    for name, value in exchange.request.path.items():
        own = own.replace(f"{{{name}}}", str(value))
    return urlsplit(response.location or "").path == own


def answer_kind(exchange: Exchange) -> tuple[object, ...]:
    """Return what tells apart two answers with one status: what they lead to, or lack."""
    response = exchange.response
    if response is None:
        return (exchange.status,)
    body = response.document()
    content: object = bool(body)
    if isinstance(body, dict):
        content = sorted((str(key), part == []) for key, part in body.items())
    return exchange.status, urlsplit(response.location or "").path, response.has_form, content


def is_alike(
    exchanges: Sequence[Exchange],
    act: Exchange,
    duty: frozenset[TargetId],
    found: FullEvaluation[Individual],
) -> bool:
    """Say whether a test with another value has the same answer, and covers its duty."""
    other = exchanges[-1]
    if other.request.endpoint != act.request.endpoint or not duty <= found.covered_by_call[-1]:
        return False
    if any(one.is_broken for one in exchanges[:-1]):
        return False
    if act.crash is not None and other.crash is not None:
        mine, theirs = act.crash, other.crash
        return (mine.position, mine.type_name) == (theirs.position, theirs.type_name)
    return body_of(other) == body_of(act)


def body_of(exchange: Exchange) -> tuple[int, bytes]:
    """Return the status and the body of an answer."""
    return exchange.status, exchange.response.body if exchange.response is not None else b""


def lines_of(found: FullEvaluation[Individual]) -> list[TargetId]:
    """Return the lines that the last call of a test runs."""
    return [one for one in found.covered_by_call[-1] if kind_of(one) == LINE]


def crashing_line(found: FullEvaluation[Individual], crash: Crash) -> TargetId | None:
    """Return the line of a crash, that on which its statement begins; None where it is unknown."""
    begun = [
        (int(number), target)
        for target in lines_of(found)
        for path, _, number in [target.partition(" ")[2].rpartition(":")]
        if path == crash.path and int(number) <= crash.line
    ]
    return max(begun)[1] if begun else None


def shows_nothing(exchange: Exchange) -> bool:
    """Say whether a JSON answer has no content: it is empty, or all its lists are."""
    body = exchange.response.document() if exchange.response is not None else None
    if isinstance(body, dict) and body:
        lists = [part for part in body.values() if isinstance(part, list)]
        return bool(lists) and not any(lists)
    return isinstance(body, (dict, list)) and not body


def raised_by(crash: Crash) -> tuple[str, str, str]:
    """Return where an exception was raised, which one, and what it says."""
    return crash.position, crash.type_name, crash.message
