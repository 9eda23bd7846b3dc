"""Names a client after the request that gives it rights, where that request names no person.

A client may check out after it has put tea into a basket. It is called ``basket_client``, not
``tea``.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence

from pytest_evosearch.core.english import snake_case
from pytest_evosearch.core.vocabulary import CREATE
from pytest_evosearch.core.vocabulary import LOG_IN
from pytest_evosearch.core.vocabulary import LOGIN_NAME
from pytest_evosearch.core.vocabulary import PASSWORD
from pytest_evosearch.core.vocabulary import PERSON
from pytest_evosearch.core.vocabulary import TOKEN
from pytest_evosearch.core.vocabulary import Certainty
from pytest_evosearch.sut.users.client_actions import LogIn

_OF_A_PERSON = (LOGIN_NAME, PASSWORD, PERSON, TOKEN)


def named_after_request(log_ins: Sequence[LogIn]) -> str:
    """Return the name of a client after its first requests; empty where these may be log-ins.

    A log-in sends a name and a proof, or its address is that of a log-in.
    """
    fields = {field for log_in in log_ins for field in _fields(log_in)}
    if len(fields) != 1 or any(_is_of_a_person(field) for field in fields):
        return ""
    words = _words(log_ins[0])
    if any(LOG_IN.is_meant_by(word, Certainty.LIKELY) for word in words):
        return ""
    return _client_of(words)


def named_after_last_request(log_ins: Sequence[LogIn]) -> str:
    """Return the name of a client that has no other: what its last request is about.

    So the clients of two steps of a set-up have two names. A log-in needs no noun.
    """
    if not log_ins:
        return ""
    words = _words(log_ins[-1])
    if any(LOG_IN.is_meant_by(word, Certainty.LIKELY) for word in words):
        return "logged_in_client"
    return _client_of([word for word in words if word.isidentifier()])


def _words(log_in: LogIn) -> list[str]:
    return [snake_case(word) for word in str(log_in.arguments.get("path", "")).split("/")]


def _client_of(words: Sequence[str]) -> str:
    nouns = [word for word in words if word and not CREATE.is_meant_by(word, Certainty.SURE)]
    return f"{nouns[-1]}_client" if nouns else ""


def _fields(log_in: LogIn) -> Iterator[str]:
    for value in log_in.arguments.values():
        if isinstance(value, Mapping):
            yield from map(str, value)


def _is_of_a_person(field: str) -> bool:
    return any(meaning.is_meant_by(field, Certainty.LIKELY) for meaning in _OF_A_PERSON)
