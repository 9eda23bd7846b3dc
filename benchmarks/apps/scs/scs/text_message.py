"""Text messages."""

from __future__ import annotations


def shorten(word1: str, word2: str, word3: str) -> str:
    """Shorten one to three words; nothing if there is no short form."""
    word1 = word1.lower()
    word2 = word2.lower()
    word3 = word3.lower()
    result = ""
    if word1 == "two":
        result = "2"
    if word1 == "for" or word1 == "four":
        result = "4"
    if word1 == "you":
        result = "u"
    if word1 == "and":
        result = "n"
    if word1 == "are":
        result = "r"
    elif word1 == "see" and word2 == "you":
        result = "cu"
    elif word1 == "by" and word2 == "the" and word3 == "way":
        result = "btw"
    return result
