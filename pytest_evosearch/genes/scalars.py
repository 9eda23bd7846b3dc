"""Booleans and numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from configparser import ConfigParser
from dataclasses import field
from dataclasses import replace
from typing import Any
from typing import ClassVar

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes import numbers
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import Wrong

ATTEMPTS = 12
"""Random attempts to change the present value before a neighbour is used."""

BOUNDARY_SNAP = 0.08
"""How often a mutation of a bounded number jumps to an end of its range."""

EXACT_INTEGERS = 2.0**53
"""Largest number with exact integers: larger floats have no fractions and no multiples."""

BOOLEAN_WORDS = ConfigParser.BOOLEAN_STATES
"""The usual words for true and false: those of configuration files."""


@dataclass(frozen=True)
class BooleanGene(Gene):
    """True or false."""

    is_truth: ClassVar[bool] = True
    takes_suggestions: ClassVar[bool] = False
    says: ClassVar[int] = 3
    wrong_types: ClassVar[tuple[Wrong, ...]] = (Wrong.TEXT, Wrong.NUMBER, Wrong.EMPTY_TEXT)

    current: bool = False

    def value(self) -> bool:
        """Return the boolean."""
        return self.current

    def sample(self, rng: Random) -> BooleanGene:
        """Return either value with equal chances."""
        return BooleanGene(rng.random() < 0.5)

    def mutate(self, rng: Random, strength: float = 0.5) -> BooleanGene:
        """Return the other value."""
        return BooleanGene(not self.current)

    def adopt(self, value: object) -> BooleanGene | None:
        """Hold a boolean, 0 or 1, or one of the usual words for them."""
        if isinstance(value, (bool, int, float)) and value in (0, 1):
            return BooleanGene(bool(value))
        meant = BOOLEAN_WORDS.get(value.strip().lower()) if isinstance(value, str) else None
        return None if meant is None else BooleanGene(meant)

    def simpler(self) -> Iterator[Gene]:
        """Yield false after true."""
        if self.current:
            yield BooleanGene(False)


class NumberGene(Gene):
    """A number with inclusive bounds; None for no bound."""

    is_numeric: ClassVar[bool] = True

    minimum: Any
    maximum: Any
    multiple_of: Any

    def limits(self) -> tuple[float | None, float | None]:
        """Return the bounds."""
        return self.minimum, self.maximum

    def specificity(self) -> int:
        """Return a higher value for a number with limits."""
        limited = self.minimum is not None or self.maximum is not None
        return 4 if limited or self.multiple_of else 3

    def breakable(self) -> tuple[Wrong, ...]:
        """Return the bounds, if there are any."""
        return (Wrong.OUT_OF_BOUNDS,) if (self.minimum, self.maximum) != (None, None) else ()


@dataclass(frozen=True)
class IntegerGene(NumberGene):
    """A whole number with inclusive bounds; None for no bound."""

    wrong_types: ClassVar[tuple[Wrong, ...]] = (
        Wrong.TEXT,
        Wrong.OUT_OF_BOUNDS,
        Wrong.FRACTION,
        Wrong.HUGE,
        Wrong.EMPTY_TEXT,
    )

    minimum: int | None = None
    maximum: int | None = None
    current: int = 0
    multiple_of: int | None = field(default=None, kw_only=True)

    def value(self) -> int:
        """Return the number."""
        return self.current

    def sample(self, rng: Random) -> IntegerGene:
        """Return a number that is mostly small, and often at an end of a narrow range."""
        return self.holding(numbers.draw_integer_between(rng, self.minimum, self.maximum))

    def mutate(self, rng: Random, strength: float = 0.5) -> IntegerGene:
        """Step by plus or minus 2^i; sometimes change the sign, rescale, or jump to an end."""
        for _ in range(ATTEMPTS):
            candidate = self.holding(self._varied(rng, strength))
            if candidate.current != self.current:
                return candidate
        step = self.multiple_of or 1
        for neighbour in (self.current + step, self.current - step):
            if self.holding(neighbour).current != self.current:
                return self.holding(neighbour)
        return self

    def _varied(self, rng: Random, strength: float) -> int:
        edges = numbers.boundaries(self.minimum, self.maximum)
        if edges and rng.random() < BOUNDARY_SNAP:
            return rng.choice(edges)
        if self.multiple_of:
            quotient = self.current // self.multiple_of
            return numbers.vary_integer(quotient, rng, strength) * self.multiple_of
        return numbers.vary_integer(self.current, rng, strength)

    def holding(self, number: int) -> IntegerGene:
        """Hold the allowed number nearest to `number`; any if constraints contradict."""
        step = self.multiple_of or 1
        number = (number + step // 2) // step * step
        if self.minimum is not None and number < self.minimum:
            number = -(-self.minimum // step) * step
        if self.maximum is not None and number > self.maximum:
            number = self.maximum // step * step
        return replace(self, current=number)

    def allows(self, number: int) -> bool:
        """Say whether `number` satisfies the constraints."""
        return (
            (self.minimum is None or number >= self.minimum)
            and (self.maximum is None or number <= self.maximum)
            and (not self.multiple_of or number % self.multiple_of == 0)
        )

    def adopt(self, value: object) -> IntegerGene | None:
        """Hold an integer, an integral float, or the text of an integer."""
        number = integer_from(value)
        return None if number is None else replace(self, current=number)

    def merge(self, known: Gene, seen: Gene) -> Gene:
        """Accept any seen number for a whole number without other knowledge."""
        if type(seen) is FloatGene and known == IntegerGene():
            return seen
        return super().merge(known, seen)

    def simpler(self) -> Iterator[Gene]:
        """Yield allowed numbers closer to 0; any when the present one breaks a constraint."""
        kept = self.allows(self.current)
        nearest = self.holding(0).current
        for candidate in dict.fromkeys((nearest, *numbers.simpler_integers(self.current))):
            closer = numbers.simplicity_of_integer(candidate) < numbers.simplicity_of_integer(
                self.current
            )
            if closer and (self.allows(candidate) or not kept):
                yield replace(self, current=candidate)


def integer_from(value: object) -> int | None:
    """Read `value` as an integer if that keeps its meaning, otherwise return None."""
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return int(value) if math.isfinite(value) and value.is_integer() else None
    if isinstance(value, str):
        try:
            return int(value)
        except ValueError:
            return None
    return None


@dataclass(frozen=True, eq=False)
class FloatGene(NumberGene):
    """A float with inclusive bounds; `special` allows nan, infinities and extremes.

    Equality is by representation: nan equals nan, and 0.0 differs from -0.0.
    """

    wrong_types: ClassVar[tuple[Wrong, ...]] = (
        Wrong.TEXT,
        Wrong.OUT_OF_BOUNDS,
        Wrong.HUGE,
        Wrong.EMPTY_TEXT,
    )

    minimum: float | None = None
    maximum: float | None = None
    special: bool = True
    current: float = 0.0
    multiple_of: float | None = field(default=None, kw_only=True)

    def _identity(self) -> tuple[object, ...]:
        bounds = (self.minimum, self.maximum, self.multiple_of)
        return (*bounds, self.special, repr(self.current))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FloatGene) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def value(self) -> float:
        """Return the number."""
        return self.current

    def sample(self, rng: Random) -> FloatGene:
        """Return a number that is mostly short and small."""
        return self.holding(
            numbers.draw_float_between(rng, self.minimum, self.maximum, self.special)
        )

    def mutate(self, rng: Random, strength: float = 0.5) -> FloatGene:
        """Step by plus or minus 2^i, scale, round or resample, inside the bounds."""
        for _ in range(ATTEMPTS):
            candidate = self.holding(self._varied(rng, strength))
            if candidate != self:
                return candidate
        # At a bound, a step across it ends where it began, and so does a small step from a huge
        # number (1e308 + 1).
        edges = [edge for edge in (self.minimum, self.maximum) if edge is not None]
        for number in (*edges, self.current + 1, self.current - 1, 0.0):
            if self.holding(number) != self:
                return self.holding(number)
        return self

    def _varied(self, rng: Random, strength: float) -> float:
        edges = [edge for edge in (self.minimum, self.maximum) if edge is not None]
        if edges and rng.random() < BOUNDARY_SNAP:
            return rng.choice(edges)
        if self.multiple_of and abs(self.current) < EXACT_INTEGERS:
            quotient = round(self.current / self.multiple_of)
            return numbers.vary_integer(quotient, rng, strength) * self.multiple_of
        return numbers.vary_float(self.current, rng, strength, self.special)

    def holding(self, number: float) -> FloatGene:
        """Hold the allowed number nearest to `number`; 0 for a forbidden special one."""
        if self.multiple_of and abs(number) < EXACT_INTEGERS:
            # Twelve digits remove the noise of binary fractions: 3 * 0.1 should read 0.3.
            number = round(round(number / self.multiple_of) * self.multiple_of, 12)
        if not math.isfinite(number) and not self.special:
            number = 0.0
        if math.isnan(number) and (self.minimum is not None or self.maximum is not None):
            number = 0.0
        if self.minimum is not None and number < self.minimum:
            number = self.minimum
        if self.maximum is not None and number > self.maximum:
            number = self.maximum
        return replace(self, current=float(number))

    def allows(self, number: float) -> bool:
        """Say whether `number` is inside the bounds; multiples may have rounding errors."""
        return (self.minimum is None or number >= self.minimum) and (
            self.maximum is None or number <= self.maximum
        )

    def adopt(self, value: object) -> FloatGene | None:
        """Hold a number, or the text of one."""
        if not isinstance(value, (int, float, str)):
            return None
        try:
            return replace(self, current=float(value))
        except (ValueError, OverflowError):
            return None

    def simpler(self) -> Iterator[Gene]:
        """Yield integral, shorter and smaller numbers that the bounds allow."""
        kept = self.allows(self.current)
        nearest = self.holding(0.0).current
        present = numbers.simplicity_of_float(self.current)
        for candidate in dict.fromkeys((nearest, *numbers.simpler_floats(self.current))):
            closer = numbers.simplicity_of_float(candidate) < present
            if closer and (self.allows(candidate) or not kept):
                yield replace(self, current=candidate)
