"""English as names of programs use it: words of a name, singular and plural.

One splitter and one pair of number rules serve the whole package, so that the search and the
written tests agree on what ``/api/statuses/{statusId}`` is about.
"""

from __future__ import annotations

import re

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", re.ASCII)
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

_IRREGULAR = {
    "people": "person",
    "children": "child",
    "men": "man",
    "women": "woman",
    "mice": "mouse",
    "feet": "foot",
    "teeth": "tooth",
    "criteria": "criterion",
    "indices": "index",
    "matrices": "matrix",
    "vertices": "vertex",
    "analyses": "analysis",
    "diagnoses": "diagnosis",
    "crises": "crisis",
    "leaves": "leaf",
    "shelves": "shelf",
    "halves": "half",
    "knives": "knife",
    "lives": "life",
    "wives": "wife",
    "wolves": "wolf",
    "heroes": "hero",
    "potatoes": "potato",
    "tomatoes": "tomato",
    "quizzes": "quiz",
    "caches": "cache",
    "niches": "niche",
    "movies": "movie",
    "cookies": "cookie",
    "calories": "calorie",
    "ids": "id",
}
"""Plurals that the rules below get wrong.

``ids`` is one of them, because the rules need longer words.
"""

_SINGULAR_ENDINGS = (
    *("ss", "us", "is", "news", "series", "species", "alias", "atlas", "bias", "canvas", "lens"),
    "https",
)
_HISSING = (
    *("sses", "xes", "ches", "shes", "zzes"),
    *("statuses", "viruses", "bonuses", "campuses", "buses", "focuses", "censuses", "lenses"),
    *("aliases", "atlases", "biases", "canvases", "gases"),
)
_PLURALS = {one: many for many, one in _IRREGULAR.items()}


def words_of(name: str) -> list[str]:
    """Split a name at underscores, hyphens, capitals and digits; all words in lower case.

    ``APIKey`` gives ``api`` and ``key``, ``line2`` gives ``line`` and ``2``.
    """
    return [word.lower() for word in _WORD.findall(name)]


def snake_case(text: str) -> str:
    """Return `text` as an identifier in snake case; empty when no character of it can stay.

    ``orderId`` gives ``order_id``, ``APIKey`` gives ``api_key``, ``line2`` stays.
    """
    ascii_only = _HUMP.sub("_", text).encode("ascii", "ignore").decode()
    return re.sub(r"\W+|_+", "_", ascii_only).strip("_").lower()


def singular(noun: str) -> str:
    """Return the singular of a plural noun in lower case; return any other word unchanged.

    In a name of several words the last word counts: ``order_statuses`` gives ``order_status``.
    """
    before, joint, last = noun.rpartition("_")
    return f"{before}{joint}{_singular_word(last)}"


def _singular_word(word: str) -> str:
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or word.endswith(_SINGULAR_ENDINGS):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(_HISSING):
        return word[:-2]
    return word.removesuffix("s")


def plural(noun: str) -> str:
    """Return the plural of a singular noun in lower case: ``person`` gives ``people``.

    In a name of several words the last word counts: ``order_status`` gives ``order_statuses``.
    """
    before, joint, last = noun.rpartition("_")
    return f"{before}{joint}{_plural_word(last)}"


def _plural_word(word: str) -> str:
    if word in _PLURALS:
        return _PLURALS[word]
    if word.endswith(("news", "series", "species")):
        return word
    if word.endswith("y") and word[-2:-1] not in set("aeiou"):
        return word[:-1] + "ies"
    if word.endswith(("s", "x", "ch", "sh", "z")):
        return word + "es"
    return word + "s"
