"""Tells sentences of the framework from those of the application: the former test nothing."""

from __future__ import annotations

from html import unescape

from werkzeug.exceptions import default_exceptions

OPENING_WORDS = 5
"""Words by which a sentence of the framework is known; the rest changes with its version."""

SENTENCES = frozenset(
    " ".join(error.description.split()[:OPENING_WORDS])
    for error in default_exceptions.values()
    if error.description is not None
)
"""How begins what Werkzeug says of each status: pages may show only the first line of it."""


LIBRARIES = ("The server found one or more errors in the information that you sent.",)
"""What libraries say of anything that they refuse: APIFairy."""


OPENINGS = ("You should be redirected automatically", "Did not attempt to load JSON data because")
"""How what Werkzeug says of single requests begins."""


def is_framework_sentence(text: str) -> bool:
    """Say whether a text is what the framework says of a status, maybe with more behind it."""
    return unescape(text).startswith((*SENTENCES, *LIBRARIES, *OPENINGS))
