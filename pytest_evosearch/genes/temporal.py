"""Dates, times, and dates with times, as text."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import date
from datetime import datetime
from datetime import time
from datetime import timedelta

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes import characters
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.formatted import FormattedGene

SIMPLEST = datetime(2000, 1, 1)

BOUNDARY_DATES = (
    *(date(2000, 1, 1), date(1970, 1, 1), date(1999, 12, 31), date(2000, 2, 29)),
    *(date(2024, 2, 29), date(2023, 2, 28), date(2023, 3, 1), date(2025, 12, 31)),
    *(date(2038, 1, 19), date(1900, 1, 1), date(1, 1, 1), date(9999, 12, 31)),
)
"""Leap days, ends of years, the epoch, the end of 32-bit time, and the calendar's own limits."""

BOUNDARY_TIMES = (time(0, 0), time(23, 59, 59), time(12, 0), time(0, 0, 1), time(9, 0))

ZONES = ("Z", "Z", "Z", "", "", "+00:00", "-05:30")
"""Suffixes of a date with time; RFC 3339 requires one, but much code accepts none."""

LARGEST_DAY_EXPONENT = 11
LARGEST_SECOND_EXPONENT = 17

SPELLABLE_YEAR = 1000
"""First year that `strftime` pads to four digits on every platform."""


def draw_moment(rng: Random) -> datetime:
    """Draw a date with time: mostly within a lifetime, often a boundary, rarely any year."""
    kind = rng.random()
    if kind < 0.3:
        day = rng.choice(BOUNDARY_DATES)
    elif kind < 0.93:
        day = date(1990, 1, 1) + timedelta(days=rng.randrange(45 * 365))
    else:
        day = date.fromordinal(rng.randint(1, date.max.toordinal()))
    return datetime.combine(day, draw_time(rng))


def draw_time(rng: Random) -> time:
    """Draw a time of day in whole seconds; in half of the cases a boundary or a full minute."""
    kind = rng.random()
    if kind < 0.3:
        return rng.choice(BOUNDARY_TIMES)
    return time(rng.randrange(24), rng.randrange(60), 0 if kind < 0.5 else rng.randrange(60))


def shift_date(moment: datetime, rng: Random, strength: float) -> datetime:
    """Move by plus or minus 2^i days, or by months or years; draw anew beyond the calendar."""
    sign = rng.choice((1, -1))
    kind = rng.random()
    try:
        if kind < 0.5:
            step = 1 << rng.randint(0, round(strength * LARGEST_DAY_EXPONENT))
            return moment + timedelta(days=sign * step)
        if kind < 0.75:
            return _plus_months(moment, sign * rng.randint(1, 11))
        return _plus_months(moment, sign * 12 * (1 << rng.randint(0, 1 + round(strength * 5))))
    except (OverflowError, ValueError):
        return draw_moment(rng)


def shift_time(moment: datetime, rng: Random, strength: float) -> datetime:
    """Move by plus or minus 2^i seconds, or by minutes or hours; draw anew beyond the calendar."""
    unit = rng.choice((1, 1, 60, 3600))
    exponent = round(strength * LARGEST_SECOND_EXPONENT) if unit == 1 else 5
    step = unit * (1 << rng.randint(0, exponent))
    try:
        return moment + timedelta(seconds=rng.choice((1, -1)) * step)
    except OverflowError:
        return draw_moment(rng)


def _plus_months(moment: datetime, months: int) -> datetime:
    """Add calendar months; the day is cut to the length of the month.  Raises ValueError."""
    count = moment.year * 12 + moment.month - 1 + months
    first = moment.replace(year=count // 12, month=count % 12 + 1, day=1)
    return first.replace(day=min(moment.day, monthrange(first.year, first.month)[1]))


class TemporalGene(FormattedGene):
    """A point in time as text; `layout` is a strftime format, None for ISO 8601."""

    layout: str | None

    def parse(self, text: str) -> datetime | None:
        """Read `text` in this gene's layout, or return None."""
        try:
            return datetime.strptime(text, self.layout) if self.layout else self._parse_iso(text)
        except ValueError:
            return None

    def spell(self, moment: datetime) -> str:
        """Write `moment` in this gene's layout and in the style of the present text."""
        if not self.layout:
            return self._spell_iso(moment)
        if moment.year < SPELLABLE_YEAR:
            # The calendar repeats every 400 years, so 29 February stays possible.
            moment = moment.replace(year=moment.year + 2000)
        return moment.strftime(self.layout)

    def _parse_iso(self, text: str) -> datetime:
        raise NotImplementedError

    def _spell_iso(self, moment: datetime) -> str:
        raise NotImplementedError

    def _shift(self, moment: datetime, rng: Random, strength: float) -> datetime:
        return shift_date(moment, rng, strength)

    def is_well_formed(self, text: str) -> bool:
        """Say whether `text` can be read in this gene's layout."""
        return self.parse(text) is not None

    def draw(self, rng: Random) -> str:
        """Return a random date or time."""
        return self.spell(draw_moment(rng))

    def vary(self, rng: Random, strength: float) -> str:
        """Return a date or time some days, months, years or seconds away."""
        return self.spell(self._shift(self.parse(self.current) or SIMPLEST, rng, strength))

    def simplest(self) -> str:
        """Return the first second of 2000."""
        return self.spell(SIMPLEST)

    def simpler(self) -> Iterator[Gene]:
        """Yield the start of 2000, and of the present year, month, day and minute."""
        moment = self.parse(self.current)
        if moment is None:
            yield self.holding(self.simplest())
            for text in characters.simpler_texts(self.current):
                if not self.is_well_formed(text):
                    yield self.holding(text)
            return
        present = _simplicity(moment)
        for candidate in _rounded(moment):
            spelt = self.parse(self.spell(candidate))
            if spelt is not None and _simplicity(spelt) < present:
                yield self.holding(self.spell(candidate))


def _rounded(moment: datetime) -> Iterator[datetime]:
    midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    yield SIMPLEST
    yield midnight.replace(month=1, day=1)
    yield midnight.replace(day=1)
    yield midnight
    yield moment.replace(minute=0, second=0, microsecond=0)
    yield moment.replace(second=0, microsecond=0)


def _simplicity(moment: datetime) -> tuple[int, ...]:
    """Return a key that orders by simplicity: the fewer parts are not rounded, the simpler."""
    clock = (moment.microsecond, moment.second, moment.minute, moment.hour)
    return (*clock, moment.day - 1, moment.month - 1, abs(moment.year - 2000), moment.year)


@dataclass(frozen=True)
class DateGene(TemporalGene):
    """A date, ``2000-01-01``."""

    layout: str | None = None
    current: str = "2000-01-01"

    def _parse_iso(self, text: str) -> datetime:
        # `date.fromisoformat` accepts more forms since Python 3.11; results must not depend on it.
        day = date.fromisoformat(_strictly(r"\d{4}-\d\d-\d\d", text))
        return datetime.combine(day, time())

    def _spell_iso(self, moment: datetime) -> str:
        return moment.date().isoformat()

    def malformed(self) -> tuple[str, ...]:
        """Return dates that do not exist, other layouts, and no date at all."""
        return ("2023-02-30", "2000-13-01", "0000-00-00", "2000-1-1", "01/02/2000", "x", "")


@dataclass(frozen=True)
class TimeGene(TemporalGene):
    """A time of day, ``12:30:00``; without seconds when the present text has none."""

    layout: str | None = None
    current: str = "00:00:00"

    def _parse_iso(self, text: str) -> datetime:
        pattern = r"\d\d:\d\d(:\d\d(\.\d{3}(\d{3})?)?)?"
        return datetime.combine(SIMPLEST, time.fromisoformat(_strictly(pattern, text)))

    def _spell_iso(self, moment: datetime) -> str:
        short = re.fullmatch(r"\d\d:\d\d", self.current) is not None
        return moment.time().isoformat(timespec="minutes" if short else "auto")

    def _shift(self, moment: datetime, rng: Random, strength: float) -> datetime:
        return shift_time(moment, rng, strength)

    def malformed(self) -> tuple[str, ...]:
        """Return times that do not exist, and no time at all."""
        return ("24:00:00", "12:60:00", "1:2", "noon", "")


_MOMENT = re.compile(
    r"(?P<naive>\d{4}-\d\d-\d\d(?P<separator>[T ])\d\d:\d\d(:\d\d(\.\d{3}(\d{3})?)?)?)"
    r"(?P<zone>Z|[+-]\d\d:\d\d)?",
    re.ASCII,
)


@dataclass(frozen=True)
class DateTimeGene(TemporalGene):
    """A date with time, ``2000-01-01T00:00:00Z``; mutations keep separator and form of the zone."""

    layout: str | None = None
    current: str = "2000-01-01T00:00:00Z"

    def draw(self, rng: Random) -> str:
        """Return a random date with time, sometimes with another form of zone."""
        text = super().draw(rng)
        if self.layout or rng.random() < 0.7:
            return text
        zone = self._manner()[1]
        return text[: len(text) - len(zone)] + rng.choice(ZONES)

    def _manner(self) -> tuple[str, str]:
        """Return the separator and the zone of the present text."""
        match = _MOMENT.fullmatch(self.current)
        return (match["separator"], match["zone"] or "") if match else ("T", "Z")

    def _parse_iso(self, text: str) -> datetime:
        match = _MOMENT.fullmatch(text)
        if match is None:
            raise ValueError(text)
        return datetime.fromisoformat(match["naive"])

    def _spell_iso(self, moment: datetime) -> str:
        separator, zone = self._manner()
        return moment.isoformat(sep=separator) + zone

    def _shift(self, moment: datetime, rng: Random, strength: float) -> datetime:
        shift = shift_date if rng.random() < 0.6 else shift_time
        return shift(moment, rng, strength)

    def malformed(self) -> tuple[str, ...]:
        """Return dates with times that do not exist or lack a part, and other texts."""
        return ("2023-02-30T00:00:00Z", "2000-01-01T25:00:00Z", "2000-01-01", "0", "now", "")


def _strictly(pattern: str, text: str) -> str:
    if re.fullmatch(pattern, text, re.ASCII) is None:
        raise ValueError(text)
    return text
