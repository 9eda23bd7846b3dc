"""A text that signs the request which holds it: what it says is computed when that is sent."""

from __future__ import annotations

from collections.abc import Callable


class SignedText(str):
    """A signature as it was wanted once, and the way in which requests are signed.

    It stays one when it is copied, sent to another process or asked for its text; whatever is made
    of it is a plain text.
    """

    __slots__ = ("way",)

    way: object

    def __str__(self) -> str:
        """Return this very text, which still knows how it was made."""
        return self

    def __reduce__(self) -> tuple[Callable[[str, object], SignedText], tuple[str, object]]:
        """Keep the way in a copy."""
        return signed_text, ("".join(self), self.way)


def signed_text(text: str, way: object) -> SignedText:
    """Return a signature; only who signs requests knows what `way` means."""
    made = SignedText(text)
    made.way = way
    return made
