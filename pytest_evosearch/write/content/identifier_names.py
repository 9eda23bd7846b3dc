"""When two names speak of one identifier, and which values look like identifiers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_evosearch.core.english import singular
from pytest_evosearch.core.english import snake_case
from pytest_evosearch.core.vocabulary import IDENTIFIER
from pytest_evosearch.core.vocabulary import Certainty
from pytest_evosearch.problem.http.descriptions.endpoint_relations import operation_nouns
from pytest_evosearch.problem.http.exchanges.endpoint import operation_of
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.write.content.endpoint_words import template_segments

CREATING = ("POST", "PUT")


BARE_IDENTIFIERS = (*IDENTIFIER.words(), "key")
"""Names of identifiers that say nothing of what they identify, the surest first."""


LONG_TEXT = 8
"""Characters from which two equal texts are hardly a coincidence."""


LARGE_NUMBER = 1000
"""From here on two equal numbers are hardly a coincidence: 1 may be an id, a count or a price."""


@dataclass(frozen=True)
class Reference:
    """A value of an earlier response, the text put before it, and how to write it."""

    value: object
    code: str
    prefix: str = ""
    key: str = ""
    """Name of the value in the response that it comes from."""
    nouns: tuple[str, ...] = ()
    """What the call that handed it out is about: ``order``."""
    is_used: bool = False
    """The request whose response is looked at was sent with it."""

    @property
    def sent(self) -> object:
        """The value that was sent because of it."""
        return f"{self.prefix}{self.value}" if self.prefix else self.value


def is_remarkable(value: object) -> bool:
    """Say whether two equal values of this kind are hardly a coincidence."""
    if isinstance(value, str):
        return len(value) >= LONG_TEXT
    return isinstance(value, int) and abs(value) >= LARGE_NUMBER


def speak_of_the_same(one: str, other: str) -> bool:
    """Say whether two names are of one family: ``id`` and ``order_id``, ``orderId`` and ``id``."""
    first, second = snake_case(one).replace("_", ""), snake_case(other).replace("_", "")
    if not first or not second:
        return False
    if first == second:
        return True
    shorter, longer = sorted((first, second), key=len)
    return shorter in IDENTIFIER.words(Certainty.LIKELY) and longer.endswith(shorter)


def nouns_of(request: Request) -> tuple[str, ...]:
    """Return the nouns for what a request is about: ``order`` for ``POST /api/orders``.

    What a placeholder picks out is there already: ``POST /products/{id}/reviews`` is about a
    review.
    """
    if operation_of(request.template):
        return tuple(sorted(operation_nouns(request.template)))
    parts = template_segments(request.template)
    follows = [*parts[1:], ""][: len(parts)]  # the root has no parts
    fixed = [
        part
        for part, following in zip(parts, follows, strict=True)
        if "{" not in part and ("{" not in following or following == parts[-1])
    ]
    return tuple(singular(snake_case(part)).replace("_", "") for part in fixed)


def belongs(name: str, reference: Reference, nouns: Sequence[str] = ()) -> bool:
    """Say whether `name` can stand for an identifier that was handed out for certain nouns.

    A bare ``id`` is that of what its surroundings are about: the last of `nouns`.
    """
    plain = snake_case(name).replace("_", "")
    key = snake_case(reference.key).replace("_", "")
    if plain in IDENTIFIER.words(Certainty.LIKELY) or plain == key:
        same_thing = not nouns or tuple(nouns[-1:]) == reference.nouns[-1:]
        return reference.is_used or (same_thing and (plain == key or not key))
    owner = plain.removesuffix(key or "id").removesuffix("id")
    return not owner or owner in reference.nouns or not reference.nouns


def names_identifier(key: str, nouns: Sequence[str] = ()) -> bool:
    """Say whether something called `key` is an identifier: ``id``, ``orderId``, ``order_slug``.

    `nouns` are what it may be about, for names that are written without a joint: ``orderid``.
    """
    return IDENTIFIER.is_meant_by(key, Certainty.LIKELY, nouns)
