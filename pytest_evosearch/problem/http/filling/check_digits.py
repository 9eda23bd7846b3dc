"""Finds right check digits by how each digit changes a compared number.

A check digit is right when a sum over the digits has a certain remainder (Luhn, ISBN, EAN), or when
a long number has one (IBAN). No operand of the comparison equals a sent value, so `hints` finds no
match. Here each run is a reading: this text led to this number. Readings whose texts differ in one
digit show the weight of the digit. A difference that does not fit the weight shows the modulus.
Then one or two digits can be computed. A number without this rule is tried digit by digit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from itertools import combinations
from itertools import islice

from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.instrument.probing.trace import Comparison

Place = tuple[object, ...]
"""Where a text was sent: the endpoint, the input and the place in its value."""

Texts = Mapping[Place, str]
"""The text that one run sent at every place with digits."""

Context = tuple[tuple[Place, str], ...]
"""The texts of this run at the other places."""

Family = dict[int, int]
"""Digit at one position -> compared number, with all other digits equal."""

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

MOST_WORKED_OUT = 6
MOST_COMBINED = 8
"""Most positions of which two are changed together."""

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
        """Return texts that differ from `text` in digits: first computed ones, then trials."""
        known = {read for read, _context in self._numbers}
        families = self._families(len(text))
        positions = [place for place in range(len(text) - 1, -1, -1) if text[place] in DIGITS]
        moving = [place for place in positions if _moves(families.get(place, ()))]
        untried = [place for place in positions if place not in families]
        solved = self._worked_out(text, families)
        stretched = [_with_digits(text, moving, digit) for digit in "90"] if moving[1:] else []
        steps = [_with_digit(text, place, _next_digit(text[place])) for place in untried]
        sweeps = [each for place in moving for each in _sweep(text, place)]
        found = dict.fromkeys((*solved, *stretched, *sweeps[: len(DIGITS) - 1], *steps, *sweeps))
        return [each for each in found if each not in known]

    def _families(self, length: int) -> dict[int, list[Family]]:
        """Return, by position, the readings that differ only there; two or more each."""
        grouped: dict[tuple[int, str, str, Context], Family] = {}
        for (text, context), number in self._numbers.items():
            if len(text) != length:
                continue
            for place, character in enumerate(text):
                if character in DIGITS:
                    key = (place, text[:place], text[place + 1 :], context)
                    grouped.setdefault(key, {})[int(character)] = number
        families: dict[int, list[Family]] = {}
        for (place, *_rest), family in grouped.items():
            if len(family) > 1:
                families.setdefault(place, []).append(family)
        return families

    def _worked_out(self, text: str, families: Mapping[int, Sequence[Family]]) -> Iterator[str]:
        """Yield texts in which one or two computed digits make the number right."""
        reading = next((reading for reading in self._numbers if reading[0] == text), None)
        if reading is None:
            return
        steps = self._steps(text, families)
        modulus = self._modulus(reading, steps)
        worth = {place: _reduced(step, modulus) for place, step in steps.items()}
        missing = {_reduced(goal - self._numbers[reading], modulus) for goal in self.goals}
        pairs = combinations(list(worth)[:MOST_COMBINED], 2)
        ways = (
            changed
            for places in (*((place,) for place in worth), *pairs)
            for changed in _changed(text, places, worth, modulus, missing)
        )
        yield from islice(ways, MOST_WORKED_OUT)

    def _steps(self, text: str, families: Mapping[int, Sequence[Family]]) -> dict[int, int]:
        """Return, by position, the effect of one more in its digit, where it is constant."""
        steps: dict[int, int] = {}
        for place, members in families.items():
            step = next((each for each in map(_step, members) if each is not None), None)
            uneven = math.gcd(*map(_unevenness, members))
            if text[place] in DIGITS and step and (not uneven or uneven > self._spread):
                steps[place] = step
        return steps

    @property
    def _spread(self) -> int:
        """Return the largest number seen: a modulus is larger."""
        return max(1, *map(abs, self._numbers.values()))

    def _modulus(self, reading: tuple[str, Context], steps: Mapping[int, int]) -> int:
        """Return the modulus that explains all readings; 0 while none is needed."""
        text, context = reading
        common = 0
        for (other, beside), number in self._numbers.items():
            if beside != context or len(other) != len(text):
                continue
            places = [place for place in range(len(text)) if other[place] != text[place]]
            if all(place in steps and other[place] in DIGITS for place in places):
                added = sum(steps[at] * (int(other[at]) - int(text[at])) for at in places)
                common = math.gcd(common, number - self._numbers[reading] - added)
        return common if common > self._spread else 0


def _reduced(number: int, modulus: int) -> int:
    return number % modulus if modulus else number


def _moves(families: Sequence[Family]) -> bool:
    return any(len(set(family.values())) > 1 for family in families)


def _unevenness(family: Family) -> int:
    """Return how far readings are off a straight line: a multiple of the modulus."""
    (first, start), *others = family.items()
    common = 0
    for (digit, number), (other, further) in combinations(others, 2):
        off = (number - start) * (other - first) - (further - start) * (digit - first)
        common = math.gcd(common, off)
    return common


def _step(family: Family) -> int | None:
    """Return the number's change for one more in a digit, perhaps reduced; None when unknown."""
    steps = (family[digit + 1] - family[digit] for digit in family if digit + 1 in family)
    return next(steps, None)


def _changed(
    text: str,
    places: Sequence[int],
    worth: Mapping[int, int],
    modulus: int,
    missing: set[int],
) -> Iterator[str]:
    """Yield `text` with other digits at all `places` that add up to what is missing."""
    place, *others = places
    present = int(text[place])
    for digit in range(len(DIGITS)):
        if digit == present:
            continue
        added = (digit - present) * worth[place]
        changed = _with_digit(text, place, str(digit))
        if others:
            rest = {_reduced(each - added, modulus) for each in missing}
            yield from _changed(changed, others, worth, modulus, rest)
        elif _reduced(added, modulus) in missing:
            yield changed


def _with_digit(text: str, place: int, digit: str) -> str:
    return text[:place] + digit + text[place + 1 :]


def _with_digits(text: str, places: Sequence[int], digit: str) -> str:
    return "".join(digit if at in places else each for at, each in enumerate(text))


def _next_digit(digit: str) -> str:
    # From nine down: a step is one, so it shows the weight of the digit.
    return DIGITS[DIGITS.index(digit) + 1] if digit != "9" else "8"


def _sweep(text: str, place: int) -> Iterator[str]:
    """Yield `text` with each other digit at `place`, counting up from the present one."""
    present = DIGITS.index(text[place])
    for step in range(1, len(DIGITS)):
        yield _with_digit(text, place, DIGITS[(present + step) % len(DIGITS)])
