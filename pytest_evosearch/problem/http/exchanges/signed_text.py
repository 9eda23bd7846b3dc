"""A text that signs its own request: its value is computed when the request is sent."""

from __future__ import annotations

from collections.abc import Callable


class SignedText(str):
    """A signature that was valid once, and the way in which requests are signed.

    It stays a signature when it is copied, pickled or converted to a text. Any text computed from
    it is plain.
    """

    __slots__ = ("way",)

    way: object

    def __str__(self) -> str:
        """Return this signature itself, which keeps its way."""
        return self

    def __reduce__(self) -> tuple[Callable[[str, object], SignedText], tuple[str, object]]:
        """Pickle the text with its way."""
        return signed_text, ("".join(self), self.way)


def signed_text(text: str, way: object) -> SignedText:
    """Return a signature; only the code that signs requests knows the meaning of `way`."""
    made = SignedText(text)
    made.way = way
    return made
