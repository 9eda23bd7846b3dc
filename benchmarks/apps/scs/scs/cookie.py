"""Cookies."""

from __future__ import annotations


def judge_cookie(name: str, val: str, site: str) -> int:
    """Judge a cookie by its name, value and site: 0 unknown, 1 fine, 2 a foreign session."""
    name = name.lower()
    val = val.lower()
    site = site.lower()
    result = 0
    if name == "userid":
        if len(val) > 6:
            if val[0:4] == "user":
                result = 1
    elif name == "session":
        if val == "am" and site == "abc.com":
            result = 1
        else:
            result = 2
    return result
