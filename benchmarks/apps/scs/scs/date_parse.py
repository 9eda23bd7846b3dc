"""Names of days and months."""

from __future__ import annotations


def parse_date(dayname: str, monthname: str) -> int:
    """Add 1 for a known day and the number of a known month."""
    dayname = dayname.lower()
    monthname = monthname.lower()
    result = 0
    if (
        dayname == "mon"
        or dayname == "tue"
        or dayname == "wed"
        or dayname == "thur"
        or dayname == "fri"
        or dayname == "sat"
        or dayname == "sun"
    ):
        result = 1
    if monthname == "jan":
        result += 1
    if monthname == "feb":
        result += 2
    if monthname == "mar":
        result += 3
    if monthname == "apr":
        result += 4
    if monthname == "may":
        result += 5
    if monthname == "jun":
        result += 6
    if monthname == "jul":
        result += 7
    if monthname == "aug":
        result += 8
    if monthname == "sep":
        result += 9
    if monthname == "oct":
        result += 10
    if monthname == "nov":
        result += 11
    if monthname == "dec":
        result += 12
    return result
