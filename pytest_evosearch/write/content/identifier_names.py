"""Says when two names mean one identifier, and which values look like identifiers."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_evosearch.core.english import singular
from pytest_evosearch.core.english import snake_case
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.vocabulary import IDENTIFIER
from pytest_evosearch.core.vocabulary import Certainty
from pytest_evosearch.problem.http.descriptions.endpoint_relations import operation_nouns
from pytest_evosearch.problem.http.exchanges.endpoint import operation_of
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.write.content.endpoint_words import template_segments

CREATING = ("POST", "PUT")


BARE_IDENTIFIERS = (*IDENTIFIER.words(), "key")
"""Names of identifiers without a resource, the surest first."""


LONG_TEXT = 8
"""Fewest characters of two equal texts that are hardly equal by chance."""


LARGE_NUMBER = 1000
"""Smallest number that is hardly equal by chance: 1 may be an id, a count or a price."""


@dataclass(frozen=True)
class Reference:
    """A value of an earlier response, the text before it, and its code."""

    value: object
    code: str
    prefix: str = ""
    key: str = ""
    """Name of the value in its response."""
    nouns: tuple[str, ...] = ()
    """Resource of the call that returned it: ``order``."""
    is_used: bool = False
    """Whether the request of the examined response was sent with it."""

    @property
    def sent(self) -> object:
        """The value that was sent because of it."""
        return f"{self.prefix}{self.value}" if self.prefix else self.value


def is_remarkable(value: object) -> bool:
    """Say whether two equal values of this kind are hardly equal by chance."""
    if isinstance(value, str):
        return len(value) >= LONG_TEXT
    return isinstance(value, int) and abs(value) >= LARGE_NUMBER


def speak_of_the_same(one: str, other: str) -> bool:
    """Say whether two names mean one identifier: ``id`` and ``order_id`` or ``orderId``."""
    first, second = snake_case(one).replace("_", ""), snake_case(other).replace("_", "")
    if not first or not second:
        return False
    if first == second:
        return True
    shorter, longer = sorted((first, second), key=len)
    return shorter in IDENTIFIER.words(Certainty.LIKELY) and longer.endswith(shorter)


def nouns_of(request: Request) -> tuple[str, ...]:
    """Return the nouns for the resource of a request: ``order`` for ``POST /api/orders``.

    A placeholder names an existing resource: ``POST /products/{id}/reviews`` is about a review.
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
    """Say whether `name` can mean an identifier that was returned for certain nouns.

    A bare ``id`` belongs to the resource around it: the last of `nouns`.
    """
    plain = snake_case(name).replace("_", "")
    key = snake_case(reference.key).replace("_", "")
    if plain in IDENTIFIER.words(Certainty.LIKELY) or plain == key:
        same_thing = not nouns or tuple(nouns[-1:]) == reference.nouns[-1:]
        return reference.is_used or (same_thing and (plain == key or not key))
    owner = plain.removesuffix(key or "id").removesuffix("id")
    return not owner or owner in reference.nouns or not reference.nouns


def names_identifier(key: str, nouns: Sequence[str] = ()) -> bool:
    """Say whether a value named `key` is an identifier: ``id``, ``orderId``, ``order_slug``.

    `nouns` are possible resources, for names without a separator: ``orderid``.
    """
    return IDENTIFIER.is_meant_by(key, Certainty.LIKELY, nouns)
