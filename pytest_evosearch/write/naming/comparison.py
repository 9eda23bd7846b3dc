"""Compares a call with others of its endpoint, to find the inputs that caused a difference.

Four kinds of evidence show which input caused a refusal:

    difference    it differs from the nearest call that succeeded
    exoneration   no call with exactly that value (or without one) succeeded
    mention       the response names it: "Title is required."
    decision      it is named in a condition of the code whose outcome only this test reaches
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from collections.abc import Sequence
from functools import cached_property

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.vocabulary import IDENTIFIER
from pytest_evosearch.core.vocabulary import Certainty
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.write.answers.messages import answer_text
from pytest_evosearch.write.content.inputs import Slot
from pytest_evosearch.write.content.inputs import mentions
from pytest_evosearch.write.content.inputs import slots_of
from pytest_evosearch.write.naming.decisive_inputs import UNKNOWN
from pytest_evosearch.write.naming.decisive_inputs import Decisions
from pytest_evosearch.write.naming.proven_conditions import Evidence

_ABSENT = object()


@dataclass(frozen=True)
class Comparison:
    """A call, its counterpart (None without one), and the successful calls."""

    exchange: Exchange
    foil: Exchange | None = None
    served: Sequence[Exchange] = ()
    decisions: Decisions = UNKNOWN

    @cached_property
    def mine(self) -> Mapping[Slot, object]:
        """Return the inputs of the call."""
        return slots_of(self.exchange.request)

    @cached_property
    def theirs(self) -> Mapping[Slot, object]:
        """Return the inputs of the counterpart."""
        return slots_of(self.foil.request) if self.foil is not None else {}

    @cached_property
    def changed(self) -> list[Slot]:
        """Return the inputs in which the two calls differ."""
        return differing(self.mine, self.theirs)

    @cached_property
    def said(self) -> str:
        """Return the text of the response."""
        return answer_text(self.exchange)

    @cached_property
    def guilty(self) -> list[Slot]:
        """Return those differing inputs that no successful call had."""
        return [slot for slot in self.changed if not self.is_harmless(slot)] or self.changed

    @cached_property
    def _accepted(self) -> list[Mapping[Slot, object]]:
        """Return the inputs of the other calls that were not refused."""
        others = [one for one in (self.foil, *self.served) if one not in (None, self.exchange)]
        return [slots_of(one.request) for one in others if one is not None]

    def is_harmless(self, slot: Slot) -> bool:
        """Say whether a call was accepted with this value, or without one."""
        value = value_at(self.mine, slot)
        return any(value_at(other, slot) == value for other in self._accepted)

    def is_valid(self, slot: Slot) -> bool:
        """Say whether a value itself is valid, so that the call was refused for another reason.

        It was accepted in another call, or it identifies something in the usual form.
        """
        if self.is_harmless(slot):
            return True
        if not IDENTIFIER.is_meant_by(slot[1], Certainty.LIKELY):
            return False
        usual = [other[slot] for other in self._accepted if slot in other]
        return form_of(self.mine.get(slot)) in map(form_of, usual)

    @cached_property
    def suspects(self) -> list[Slot]:
        """Return the inputs that may have caused the refusal.

        Those that the response names come first, then those that conditions of the code name.
        """
        named = [slot for slot in self.guilty if mentions(self.said, slot[1])]
        return named or self.decisions.about(self.guilty) or self.guilty

    def evidence_of(self, name: str) -> Evidence:
        """Return how strong the evidence is that an input caused the difference."""
        if mentions(self.said, name):
            return Evidence.NAMED
        if self.decisions.name(name):
            return Evidence.DECIDED
        is_alone = self.foil is not None and len(self.changed) == 1
        return Evidence.ALONE if is_alone else Evidence.GUESSED


def value_at(slots: Mapping[Slot, object], slot: Slot) -> object:
    """Return the value of an input, or an object that equals no value when it is not sent."""
    return slots.get(slot, _ABSENT)


def form_of(value: object) -> tuple[type, str]:
    """Return the type of a value, and for a text the sequence of its kinds of characters."""
    text = value if isinstance(value, str) else ""
    return type(value), re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "9", text))


def differing(mine: Mapping[Slot, object], theirs: Mapping[Slot, object]) -> list[Slot]:
    """Return the inputs in which two calls differ."""
    return [slot for slot in {**theirs, **mine} if value_at(mine, slot) != value_at(theirs, slot)]


def is_failure(exchange: Exchange, sibling: Exchange) -> bool:
    """Say whether `exchange` was refused while `sibling` succeeded.

    A form that is shown again (200) counts as refused when the sibling is redirected.
    """
    if exchange.status >= 400:
        return True
    return _may_show_form_again(exchange) and 300 <= sibling.status < 400


def is_refused(exchange: Exchange) -> bool:
    """Say whether a call was refused, or may have been: its form is shown again."""
    return exchange.status >= 400 or _may_show_form_again(exchange)


def _may_show_form_again(exchange: Exchange) -> bool:
    """Say whether a POST returned a page with a form: no table, no feed."""
    response = exchange.response
    if response is None or exchange.request.method != "POST" or response.status != 200:
        return False
    return response.has_form


def _differences(one: Exchange, other: Exchange) -> int:
    return len(differing(slots_of(one.request), slots_of(other.request)))


def nearest_sibling(exchange: Exchange, siblings: Sequence[Exchange]) -> Exchange | None:
    """Return the best counterpart: a success by this user with the fewest differences."""

    def order(place: int) -> tuple[bool, bool, bool, int, int]:
        other = siblings[place]
        shown_again = other.request.method == "POST" and other.status == 200
        changed = _differences(exchange, other)
        return (other.user != exchange.user, other.status >= 400, shown_again, changed, place)

    places = [place for place, other in enumerate(siblings) if other is not exchange]
    if not places:
        return None
    best = siblings[min(places, key=order)]
    # A success needs no failed counterpart: then the failure is special.
    refused = exchange.status < 400 and (best.status >= 400 or is_failure(best, exchange))
    return None if refused else best


def survivor(exchange: Exchange, siblings: Sequence[Exchange]) -> Exchange | None:
    """Return the most similar call that did not fail; a refusal counts, because it got less far."""
    survivors = [other for other in siblings if other.status < 500 and other.crash is None]
    if not survivors:
        return None
    return min(
        survivors,
        key=lambda other: (
            _differences(exchange, other),
            other.user != exchange.user,
            other.status >= 400,
        ),
    )


def served_beside(foil: Exchange, siblings: Sequence[Exchange]) -> list[Exchange]:
    """Return the successful calls, judged by the success of `foil`."""
    return [one for one in siblings if one.status < 400 and not is_failure(one, foil)]
