"""The countries that news can come from."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def list_countries() -> tuple[str, ...]:
    """Read the names of all countries."""
    text = Path(__file__).with_name("country_list.txt").read_text(encoding="utf-8")
    return tuple(text.splitlines())


def is_country(name: str) -> bool:
    """Tell whether a name is that of a country, in upper or lower case."""
    return name.lower() in [country.lower() for country in list_countries()]
