"""Knows the date of today in writing: what a database's own clock says changes tomorrow.

The clock that is moved during the harvest is Python's.  ``CURRENT_TIMESTAMP`` of SQLite and
what other processes write stay at today, so that a text with today's date looks stable.
"""

from __future__ import annotations

from calendar import month_name
from datetime import date
from datetime import timedelta
from functools import lru_cache

from pytest_evosearch.core.isolation import time

REASON = "changes with the clock"

_SECONDS = 86400
"""Of a day."""


def names_today(text: str, now: float | None = None) -> bool:
    """Say whether `text` has the date of today, or of a neighbouring day elsewhere on earth."""
    moment = time.time() if now is None else now
    return any(form in text for form in _forms_around(int(moment // _SECONDS)))


# Asked for every text of every page that a test may assert: the days are spelt out once.
@lru_cache(maxsize=2)
def _forms_around(day: int) -> tuple[str, ...]:
    """Spell out a day, in days since 1970, and its neighbours."""
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
