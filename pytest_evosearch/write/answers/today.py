"""Recognises today's date in texts: dates of other clocks change tomorrow.

The harvest only moves Python's clock. ``CURRENT_TIMESTAMP`` of SQLite, dates from other processes
and times of files that were made before the search stay at today, so they look stable.
"""

from __future__ import annotations

import re
from calendar import month_name
from datetime import date
from datetime import timedelta
from functools import lru_cache

from pytest_evosearch.core.isolation import time

REASON = "changes with the clock"

_SECONDS = 86400
"""Seconds of a day."""

_UNITS = (1, 10**3, 10**6, 10**9)
"""How many of a unit are a second."""

_DIGITS = re.compile(r"(?<!\d)\d{10,19}(?!\d)")
"""A time since 1970 in some unit: the ten digits of seconds are enough until 2286."""


def names_today(text: str, now: float | None = None) -> bool:
    """Say whether `text` has today's date, or a neighbouring one for other time zones."""
    moment = time.time() if now is None else now
    if any(form in text for form in _forms_around(int(moment // _SECONDS))):
        return True
    return any(_is_of_today(int(digits), moment) for digits in _DIGITS.findall(text))


def _is_of_today(number: float, moment: float) -> bool:
    """Say whether a count of seconds, milli-, micro- or nanoseconds is within a day of `moment`."""
    return any(abs(number / unit - moment) < _SECONDS for unit in _UNITS)


# This runs for every text that a test may assert, so the days are spelt out only once.
@lru_cache(maxsize=2)
def _forms_around(day: int) -> tuple[str, ...]:
    """Return written forms of a day (in days since 1970) and of its neighbours."""
    today = date(1970, 1, 1) + timedelta(days=day)
    return tuple(form for offset in (0, -1, 1) for form in _forms(today + timedelta(days=offset)))


def _forms(day: date) -> tuple[str, ...]:
    year, month, number = f"{day.year}", f"{day.month:02}", f"{day.day:02}"
    name = month_name[day.month]  # in the locale of the process, as the application writes it
    return (
        *(f"{year}{mark}{month}{mark}{number}" for mark in "-/."),
        *(f"{number}{mark}{month}{mark}{year}" for mark in "-/."),
        *(f"{month}{mark}{number}{mark}{year}" for mark in "-/."),
        *(f"{spelt} {shown}" for spelt in (name, name[:3]) for shown in (number, str(day.day))),
        *(f"{shown} {spelt}" for spelt in (name, name[:3]) for shown in (number, str(day.day))),
    )
