"""Finds right check digits by sending others, and reading which text led to which number.

A check digit is right when a sum over the digits has a certain remainder (Luhn, ISBN, EAN), or when
a long number has one (IBAN). No operand of the comparison equals a sent value, so `hints` finds no
match. Each run is a reading: this text led to this number. A place that moves the number is tried
with other digits: one digit has ten values, and two have a hundred, more than most remainders.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping

from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.instrument.probing.trace import Comparison

Place = tuple[object, ...]
"""Where a text was sent: the endpoint, the input and the place in its value."""

Texts = Mapping[Place, str]
"""The text that one run sent at every place with digits."""

Context = tuple[tuple[Place, str], ...]
"""The texts of this run at the other places."""

FEWEST_DIGITS = 2
LONGEST_TEXT = 64
LARGEST_NUMBER = 10_000
"""Largest remainder; larger numbers are no remainders of a checked sum."""

MOST_READINGS = 128
"""Most readings kept for one place and target."""

DEAF_AFTER = 6
"""Readings without effect after which a place is dropped."""

MOST_PLACES = 12
"""Most places that are read for one target."""

DIGITS = "0123456789"


def is_checked_number(comparison: Comparison) -> bool:
    """Say whether a comparison requires a small number to have one or several other values."""
    observed, wanted = comparison.observed, comparison.wanted
    if not _is_small(observed):
        return False
    if comparison.relation == "==":
        return _is_small(wanted)
    return comparison.relation == "in" and isinstance(wanted, tuple) and any(map(_is_small, wanted))


def _is_small(value: object) -> bool:
    return type(value) is int and abs(value) <= LARGEST_NUMBER


def digits_of(value: object) -> str | None:
    """Return a sent value as a text with digits that may change, None for any other value."""
    text = str(value) if type(value) is int and value >= 0 else value
    if not isinstance(text, str) or len(text) > LONGEST_TEXT:
        return None
    return text if sum(map(text.count, DIGITS)) >= FEWEST_DIGITS else None


class CheckDigits:
    """Keeps readings for each target and place, and proposes texts with other digits."""

    def __init__(self) -> None:
        self._readings: dict[TargetId, dict[Place, Readings]] = {}
        self._hopeless: set[TargetId] = set()

    def wants(self, comparison: Comparison) -> bool:
        """Say whether the run of this comparison gives a useful reading."""
        return comparison.target not in self._hopeless and is_checked_number(comparison)

    def read(self, comparison: Comparison, texts: Texts) -> None:
        """Note the number that the texts of one run led to."""
        wanted = comparison.wanted
        goals = tuple(each for each in _listed(wanted) if _is_small(each))
        # Both operands may depend on the input: their difference counts.
        shift = goals[0]
        assert isinstance(comparison.observed, int)
        assert isinstance(shift, int)
        places = self._readings.setdefault(comparison.target, {})
        for place, text in texts.items():
            readings = places.get(place)
            if readings is None:
                if len(places) >= MOST_PLACES:
                    continue
                readings = places[place] = Readings()
            context = tuple(each for each in texts.items() if each[0] != place)
            readings.goals = tuple(each - shift for each in goals if isinstance(each, int))
            readings.add(text, context, comparison.observed - shift)
        if places and all(readings.is_deaf for readings in places.values()):
            self.forget(comparison.target)
            self._hopeless.add(comparison.target)

    def forget(self, target: TargetId) -> None:
        """Drop the readings of a target that was reached."""
        self._readings.pop(target, None)

    def knows(self, target: TargetId) -> bool:
        """Say whether there are readings for a target."""
        return target in self._readings

    def proposals(self, target: TargetId, texts: Texts) -> Iterator[tuple[Place, str, bool]]:
        """Yield places with texts to send there, the best first.

        The third value says whether the place is known to change the number.
        """
        for place, readings in self._readings.get(target, {}).items():
            text = texts.get(place)
            if text is not None and not readings.is_deaf:
                for proposed in readings.proposals(text):
                    yield place, proposed, readings.moves


def _listed(wanted: object) -> tuple[object, ...]:
    return wanted if isinstance(wanted, tuple) else (wanted,)


class Readings:
    """The number that each text at one place led to."""

    def __init__(self) -> None:
        self.goals: tuple[int, ...] = (0,)
        self._numbers: dict[tuple[str, Context], int] = {}
        self.moves = False
        """Whether two texts of one length led to two numbers, with all else equal."""

    @property
    def is_deaf(self) -> bool:
        """Say whether the number does not depend on this place, as far as tried."""
        return not self.moves and len(self._numbers) >= DEAF_AFTER

    def add(self, text: str, context: Context, number: int) -> None:
        """Note a reading."""
        if not self.moves:
            self.moves = any(
                known != number and beside == context and len(other) == len(text)
                for (other, beside), known in self._numbers.items()
            )
        if len(self._numbers) >= MOST_READINGS:
            self._numbers.pop(next(iter(self._numbers)))
        self._numbers[text, context] = number

    def proposals(self, text: str) -> list[str]:
        """Return texts that differ from `text` in one or two digits, the last ones first."""
        known = {read for read, _context in self._numbers}
        last, *others = [place for place in range(len(text) - 1, -1, -1) if text[place] in DIGITS]
        found = list(_swept(text, last))
        found += [both for each in (*found, text) for both in _swept(each, others[0])]
        found += [each for place in others[1:] for each in _swept(text, place)]
        return [each for each in found if each not in known]


def _swept(text: str, place: int) -> Iterator[str]:
    """Yield `text` with each other digit at `place`, counting up from the present one."""
    present = DIGITS.index(text[place])
    for step in range(1, len(DIGITS)):
        yield text[:place] + DIGITS[(present + step) % len(DIGITS)] + text[place + 1 :]
