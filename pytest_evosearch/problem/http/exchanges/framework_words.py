"""Recognises sentences of the framework, which say nothing about the application."""

from __future__ import annotations

from html import unescape

from werkzeug.exceptions import default_exceptions

OPENING_WORDS = 5
"""Number of words that identify a sentence of the framework; the rest changes with its version."""

SENTENCES = frozenset(
    " ".join(error.description.split()[:OPENING_WORDS])
    for error in default_exceptions.values()
    if error.description is not None
)
"""Beginnings of Werkzeug's sentence for each status: pages may show only its first line."""


LIBRARIES = ("The server found one or more errors in the information that you sent.",)
"""Sentences of a library for everything that it refuses: APIFairy."""


OPENINGS = ("You should be redirected automatically", "Did not attempt to load JSON data because")
"""Beginnings of Werkzeug's sentences about single requests."""


def is_framework_sentence(text: str) -> bool:
    """Say whether a text begins like a sentence of the framework about a status."""
    return unescape(text).startswith((*SENTENCES, *LIBRARIES, *OPENINGS))
