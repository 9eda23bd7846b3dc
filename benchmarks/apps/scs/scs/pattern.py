"""Searching a text for a pattern and its reverse."""

from __future__ import annotations


def find_pattern(txt: str, pat: str) -> str:
    """Find a pattern and its reverse, one after the other.

    The result is the place of the first one if both are there, else "1" for the pattern alone,
    "2" for its reverse alone, "0" for neither and for a pattern below three characters.
    """
    result = 0
    length = len(pat)
    if length > 2:
        reverse = pat[::-1]
        for i in range(len(txt) - length + 1):
            if txt[i] == pat[0]:
                if txt[i : i + length] == pat:
                    result = 1
                    for j in range(i + length, len(txt) - length + 1):
                        if txt[j] == reverse[0]:
                            if txt[j : j + length] == reverse:
                                if j == i + length:
                                    return str(i)
                                return str(i)
            elif txt[i] == reverse[0]:
                if txt[i : i + length] == reverse:
                    result = 2
                    for j in range(i + length, len(txt) - length + 1):
                        if txt[j] == pat[0]:
                            if txt[j : j + length] == pat:
                                if j == i + length:
                                    return str(i)
                                return str(i)
    return str(result)
