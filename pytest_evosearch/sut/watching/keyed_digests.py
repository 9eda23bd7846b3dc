"""Remembers which messages were hashed with which keys (``hmac.new``), while a look is on.

A signature that a request holds is told by it: what was signed, and with what.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import field
from functools import wraps
from typing import Any
from typing import Protocol

MOST_DIGESTS = 4096


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
