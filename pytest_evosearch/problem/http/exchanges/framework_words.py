"""Tells sentences of the framework from those of the application: the former test nothing."""

from __future__ import annotations

from html import unescape

from werkzeug.exceptions import default_exceptions

SENTENCES = frozenset(
    error.description for error in default_exceptions.values() if error.description is not None
)
"""What Werkzeug says of each status; the words change with its version, not with a handler."""


LIBRARIES = ("The server found one or more errors in the information that you sent.",)
"""What libraries say of anything that they refuse: APIFairy."""


OPENINGS = ("You should be redirected automatically", "Did not attempt to load JSON data because")
"""How what Werkzeug says of single requests begins."""


def is_framework_sentence(text: str) -> bool:
    """Say whether a text is what the framework says of a status, maybe with more behind it."""
    return unescape(text).startswith((*SENTENCES, *LIBRARIES, *OPENINGS))
