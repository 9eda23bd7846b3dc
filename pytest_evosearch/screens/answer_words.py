"""The state of a resource, as the words of a JSON answer tell it.

    {"id": 7, "status": "paid", "lines": [{...}], "note": null}
    status=paid  lines=one  note=none

Only what has few values counts: words of a status, true and false, how many there are, presence.
Numbers, texts and ids are data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pytest_evosearch.core.english import words_of

_STATUS = re.compile("status|state|phase|stage|step|kind|type|role|level|mode")
"""Words in names of values that tell a state, whatever they are."""

DEEPEST = 2
"""Levels of objects that are read."""

MOST_WORDS = 12
"""Most words of one answer: more would make a state of each answer."""

_WORD = re.compile(r"[A-Za-z][A-Za-z_-]{1,19}")


def state_words(answer: object) -> list[str]:
    """Return what an answer says of the state of its resource, in order."""
    return list(_words(answer, "", 0))[:MOST_WORDS]


def _words(value: object, name: str, depth: int) -> Iterator[str]:
    if isinstance(value, dict):
        if depth <= DEEPEST:
            for key in sorted(map(str, value)):
                yield from _words(value.get(key), f"{name}.{key}" if name else key, depth + 1)
    elif isinstance(value, list):
        yield f"{name}={_count(len(value))}"
    elif value is None or isinstance(value, bool):
        yield f"{name}={str(value).lower()}"
    elif isinstance(value, str) and _tells_state(name) and _WORD.fullmatch(value):
        yield f"{name}={value.lower()}"


def _tells_state(name: str) -> bool:
    return any(map(_STATUS.fullmatch, words_of(name.rpartition(".")[2])))


def _count(number: int) -> str:
    return "many" if number > 1 else "one" if number else "none"
