"""Names responses by their role: ``created``, ``listed``, ``deleted``, ``page``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from http import HTTPStatus
from urllib.parse import urlsplit

from pytest_evosearch.core.english import singular
from pytest_evosearch.core.english import snake_case
from pytest_evosearch.core.free_names import first_free
from pytest_evosearch.core.http_words import FIRST_FAILURE
from pytest_evosearch.core.http_words import STORING
from pytest_evosearch.core.vocabulary import CREATE
from pytest_evosearch.core.vocabulary import DELETE
from pytest_evosearch.core.vocabulary import IDENTIFIER
from pytest_evosearch.core.vocabulary import LOG_IN
from pytest_evosearch.core.vocabulary import LOG_OUT
from pytest_evosearch.core.vocabulary import REGISTER
from pytest_evosearch.core.vocabulary import UPDATE
from pytest_evosearch.core.vocabulary import Certainty
from pytest_evosearch.problem.http.exchanges.endpoint import operation_of
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.refusals import turns_away
from pytest_evosearch.problem.http.exchanges.responses import linkable_values
from pytest_evosearch.write.content.endpoint_words import resource_of
from pytest_evosearch.write.content.endpoint_words import template_segments
from pytest_evosearch.write.content.input_values import input_values

ACTIONS = {
    **dict.fromkeys(LOG_IN.likely, "authenticated"),
    **dict.fromkeys((*LOG_IN.sure, "session", "sessions"), "logged_in"),
    **dict.fromkeys(LOG_OUT.words(), "logged_out"),
    **dict.fromkeys(REGISTER.words(), "registered"),
    "new": "created",
    "edit": "updated",
    "search": "found",
    "upload": "uploaded",
    "reset": "reset",
    "pay": "paid",
    "send": "sent",
    "withdraw": "withdrawn",
    "buy": "bought",
    "undo": "undone",
    "checkout": "checked_out",
}
"""Last word of a URL -> the role of its response when it succeeds; regular verbs are `VERBS`."""

ENTERING = {ACTIONS[word] for word in (*LOG_IN.words(Certainty.LIKELY), *REGISTER.words())}
"""Roles of responses after which the caller is known."""

VERBS = {
    "accept", "activate", "add", "advance", "approve", "archive", "assign", "book", "cancel",
    "clear", "close", "confirm", "create", "deactivate", "delete", "deposit", "disable", "enable",
    "export", "favorite", "finish", "follow", "import", "invite", "join", "like", "lock", "move",
    "open", "order", "pause", "publish", "refresh", "refund", "reject", "release", "remove",
    "rename", "reserve", "restock", "restore", "resume", "return", "revoke", "ship", "start",
    "stop", "submit", "subscribe", "toggle", "transfer", "unfollow", "unlock", "unpublish",
    "unsubscribe", "update", "verify", "vote",
}  # fmt: skip
"""Last words of URLs that are verbs with a regular participle."""

_DOUBLES = re.compile(r"^[^aeiou]*[aeiou][^aeiouwxy]$|(mit|fer)$")
"""Verbs that double their last letter: ``ship``, and longer ones such as ``submit``."""

DEEDS = {
    **dict.fromkeys(CREATE.words(), "created"),
    **dict.fromkeys(UPDATE.words(), "updated"),
    **dict.fromkeys(DELETE.words(), "deleted"),
}
"""First words of GraphQL mutations; addresses have them before an identifier."""

_LEAVING = (*LOG_OUT.words(), "remove")
"""Last words of addresses that describe a ``DELETE`` better than the method."""

POSTED = "posted"
"""Role of the response to a ``POST`` that does not show its effect."""

_CREATED = 201


def role_of(exchange: Exchange, after_deletion: bool, gives_token: str = "") -> str:
    """Return the role of one response; `after_deletion` says whether something was deleted before.

    `gives_token` is the place of a value that a later call sends back: in a ``form`` of the page,
    or elsewhere in the ``page``.
    """
    request, status = exchange.request, exchange.status
    if status == 404 and after_deletion:
        return "gone"
    if status >= 400:
        if turns_away(exchange):
            return "denied"
        return _role_of_refusal(status)
    if operation_of(request.template):
        return _role_of_operation(request)
    if request.method == "POST" and status == 200 and _is_page(exchange):
        return "response"  # mostly a form that is shown again
    if request.method != "GET":
        return _role_of_writing(exchange, last_word(request))
    if status >= 300:
        return _mailed_deed(request) or "redirected"
    response = exchange.response
    last = last_word(request)
    is_action = last in ACTIONS or last in VERBS  # /register, /posts/new
    if gives_token:
        return gives_token
    if is_action and response is not None and response.has_form:
        return "form"
    if "{" in request.template or not _may_list(exchange):
        return "found"
    return "page" if last and not last.endswith("s") and _is_page(exchange) else "listed"


def _deed_of_method(method: str) -> str:
    """Return what a method does by habit: ``created`` for a ``POST``."""
    if method == "POST":
        return "created"
    if method == "DELETE":
        return "deleted"
    return "updated" if method in STORING else "response"


def _role_of_refusal(status: int) -> str:
    """Return ``missing``, or the name that HTTP gives to a status by one word: ``conflict``."""
    if status >= FIRST_FAILURE:
        return "response"
    named = {one.value: one.phrase.lower() for one in HTTPStatus if one.phrase.isalpha()}
    return "missing" if status == HTTPStatus.NOT_FOUND else named.get(status, "rejected")


def _role_of_writing(exchange: Exchange, last: str) -> str:
    request = exchange.request
    if request.method == "DELETE" and last not in _LEAVING:
        return "deleted"
    is_known = last in ACTIONS or last in DEEDS
    if not is_known and exchange.status >= 300 and _leads_back(exchange):
        return "saved"
    deed = participle(last) or _leading_deed(last)
    if deed in ENTERING and exchange.status >= 300 and _leads_back(exchange):
        return "redirected"  # back to the form: no caller was let in
    if not deed and exchange.status >= 300 and not _sends_something(request):
        return "redirected"
    if not deed and request.method == "POST" and not _creates(exchange):
        return POSTED
    return deed or _deed_of_method(request.method)


def _creates(exchange: Exchange) -> bool:
    """Say whether a response shows that its call created something.

    Signs are the status or an address, a form that leads to another page, words of the response,
    and an identifier in the response that was not sent.
    """
    response = exchange.response
    if response is None or exchange.status == _CREATED or 300 <= exchange.status < 400:
        return True
    if "created" in response.text.lower():
        return True
    sent = {str(value) for value in input_values(exchange)}
    return any(
        IDENTIFIER.is_meant_by(str(selector[-1]), Certainty.LIKELY) and str(value) not in sent
        for selector, value in linkable_values(response)
    )


def last_word(request: Request) -> str:
    """Return the last segment of an address as a word: ``delete``, even for ``/delete/{id}``."""
    segments = template_segments(request.template) or [""]
    last, before = segments[-1], snake_case((segments[-2:-1] or [""])[0])
    return before if "{" in last and before in DEEDS else snake_case(last)


def _role_of_operation(request: Request) -> str:
    """Return ``created`` for ``mutation.createUser``, ``found`` for a query."""
    kind, _, field = operation_of(request.template).partition(".")
    if kind == "query":
        return "found"
    verb = snake_case(field).partition("_")[0]
    return DEEDS.get(verb) or participle(verb) or "response"


def _sends_something(request: Request) -> bool:
    """Say whether a request has a body from which something can be created."""
    return bool(request.form or request.files or request.has_json or request.text)


def _mailed_deed(request: Request) -> str:
    """Return ``confirmed`` for ``/confirm/{token}`` with a token from a mail, otherwise empty."""
    if not request.was_mailed:
        return ""
    parts = [snake_case(part) for part in template_segments(request.template) if "{" not in part]
    return _regular_participle(parts[-1]) if parts else ""


def _leads_back(exchange: Exchange) -> bool:
    """Say whether a redirect leads to the request's own address.

    Then a settings form was saved, or a log-in form must be filled in again.
    """
    target = exchange.response.location if exchange.response is not None else None
    return urlsplit(target or "").path == exchange.request.template


def _may_list(exchange: Exchange) -> bool:
    """Say whether a response may be a collection: a page, or JSON that is no single object."""
    response = exchange.response
    return response is None or not response.body.lstrip().startswith(b"{")


def _is_page(exchange: Exchange) -> bool:
    return exchange.response is not None and exchange.response.mimetype == "text/html"


def participle(verb: str) -> str:
    """Return ``registered`` for ``register``, empty for an unknown verb."""
    return ACTIONS.get(verb) or _regular_participle(verb)


def _leading_deed(words: str) -> str:
    """Return ``deleted`` for ``delete_account``; a verb of entering must be the only word."""
    deed = participle(words.partition("_")[0])
    return "" if deed in ENTERING else deed


def _regular_participle(verb: str) -> str:
    """Return ``advanced`` for ``advance``, empty for an unknown verb."""
    if verb not in VERBS:
        return ""
    if verb.endswith("e"):
        return f"{verb}d"
    if verb.endswith("y"):
        return f"{verb[:-1]}ied"
    return f"{verb}{verb[-1] if _DOUBLES.search(verb) else ''}ed"


def response_variables(exchanges: Sequence[Exchange], taken: Sequence[str] = ()) -> list[str]:
    """Return a variable for every response, all distinct and not in `taken`."""
    if len(exchanges) == 1:
        return ["response"]
    names: list[str] = []
    deleted = False
    for index, exchange in enumerate(exchanges):
        gives_token = next(
            (
                str(origin.selector[0])
                for later in exchanges[index + 1 :]
                for origin in later.request.origins.values()
                if origin.call == index and origin.selector[0] in ("form", "page")
            ),
            "",
        )
        name = role_of(exchange, deleted, gives_token)
        deleted = deleted or name in ("deleted", "removed")
        is_act = index == len(exchanges) - 1
        again = [
            one for one in exchanges[:index] if one.request.endpoint == exchange.request.endpoint
        ]
        names.append(_distinct(name, exchange, [*names, *taken], is_act, again))
    return names


def _distinct(
    name: str, exchange: Exchange, taken: Sequence[str], is_act: bool, again: Sequence[Exchange]
) -> str:
    noun = singular(resource_of(exchange.request.template).rpartition("_")[2])
    candidates = [name]
    if again and name in ENTERING and all(one.request != exchange.request for one in again):
        candidates.append(f"{name}_other")
    if again:
        candidates.append(f"{name}_again")
    if is_act:
        candidates.append("response")
    if noun not in name:
        candidates.append(f"{noun}_{name}" if name in ("form", "page") else f"{name}_{noun}")
    return first_free(candidates, taken)
