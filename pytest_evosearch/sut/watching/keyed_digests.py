"""Remembers which messages were hashed with which keys (``hmac.new``), while a look is on.

A signature that a request holds is told by it: what was signed, and with what.
"""

from __future__ import annotations

import re
from base64 import b64decode
from base64 import b64encode
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from dataclasses import field
from functools import wraps
from typing import Any
from typing import NamedTuple
from typing import Protocol

MOST_DIGESTS = 4096

DIGITS = {"sha256": 64, "sha1": 40, "md5": 32, "sha512": 128}
"""Hash functions that signatures use, with the hexadecimal digits of their digests."""

_HEX = re.compile(r"[0-9a-f]{32,128}")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{22,88}={0,2}")


class WrittenDigest(NamedTuple):
    """What may be a digest in a text."""

    is_hex: bool
    text: str
    """As it stands."""
    digest: str
    """In hexadecimal digits."""

    def like(self, digest: bytes) -> str:
        """Return another digest, written like this one."""
        return digest.hex() if self.is_hex else b64encode(digest).decode()


def digests_in(value: str) -> Iterator[WrittenDigest]:
    """Yield what may be a digest in a text: hexadecimal digits first, then Base64."""
    for text in _HEX.findall(value):
        yield WrittenDigest(True, text, text)
    for text in _BASE64.findall(value):
        with suppress(ValueError):
            raw = b64decode(text, validate=True)
            if b64encode(raw).decode() == text:
                yield WrittenDigest(False, text, raw.hex())


class DigestScales(Protocol):
    """What is needed of `instrument.probing.weighing.Scales`."""

    @property
    def in_use(self) -> bool:
        """Whether what is compared is of interest now."""
        ...


@dataclass(frozen=True)
class KeyedDigest:
    """What was hashed, and how."""

    key: bytes
    message: bytes
    algorithm: str


@dataclass
class KeyedDigests:
    """Knows them by the digest, in hexadecimal digits."""

    scales: DigestScales
    known: dict[str, KeyedDigest] = field(default_factory=dict)

    def noting(self, make: Callable[..., Any]) -> Callable[..., Any]:
        """Return a stand-in for ``hmac.new``."""

        @wraps(make)
        def new(key: Any, msg: Any = None, digestmod: Any = "") -> Any:
            made = make(key, msg, digestmod)
            if self.scales.in_use and msg is not None and len(self.known) < MOST_DIGESTS:
                algorithm = str(made.name).removeprefix("hmac-")
                digest = KeyedDigest(bytes(key), bytes(msg), algorithm)
                self.known[made.hexdigest()] = digest
            return made

        return new
