"""Titles."""

from __future__ import annotations


def judge_title(sex: str, title: str) -> int:
    """Say whose title it is: 1 male, 0 female, 2 without a sex, -1 if it does not fit."""
    sex = sex.lower()
    title = title.lower()
    result = -1
    if sex == "male":
        if (
            title == "mr"
            or title == "dr"
            or title == "sir"
            or title == "rev"
            or title == "rthon"
            or title == "prof"
        ):
            result = 1
    elif sex == "female":
        if (
            title == "mrs"
            or title == "miss"
            or title == "ms"
            or title == "dr"
            or title == "lady"
            or title == "rev"
            or title == "rthon"
            or title == "prof"
        ):
            result = 0
    elif sex == "none":
        if title == "dr" or title == "rev" or title == "rthon" or title == "prof":
            result = 2
    return result
