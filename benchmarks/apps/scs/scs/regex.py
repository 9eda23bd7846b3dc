"""Kinds of expressions."""

from __future__ import annotations

import re

LETTER = "[a-z_-]"
DIGIT = "[0-9]"
IDENTIFIER = f"{LETTER}({LETTER}|{DIGIT})*"
DAY = "(mon|tue|wed|thur|fri|sat|sun)"
MONTH = "(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"

URL = f"((http)|(ftp)|(afs)|(gopher))//:{IDENTIFIER}/{IDENTIFIER}"
DATE = f"{DAY}{DIGIT}{DIGIT}{MONTH}"
FLOATING_POINT = rf"{DIGIT}{DIGIT}*\.{DIGIT}{DIGIT}*e(\+|-){DIGIT}{DIGIT}"


def name_expression(txt: str) -> str:
    """Say what kind of expression a whole text is."""
    if re.fullmatch(URL, txt):
        return "url"
    if re.fullmatch(DATE, txt):
        return "date"
    if re.fullmatch(FLOATING_POINT, txt):
        return "fpe"
    return "none"
