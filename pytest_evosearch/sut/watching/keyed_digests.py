"""Remembers messages that were hashed with keys (``hmac.new``), during a look.

This identifies a signature in a request: the signed message, and the key.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from functools import wraps
from typing import Any

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.instrument.probing.weighing import Scales

MOST_DIGESTS = 4096


@dataclass(frozen=True)
class KeyedDigest:
    """A hashed message, its key and its algorithm."""

    key: bytes
    message: bytes
    algorithm: str


@dataclass
class KeyedDigests:
    """Keyed digests by their hexadecimal digits."""

    scales: Scales
    known: dict[str, KeyedDigest] = field(default_factory=dict)

    def noting(self, make: Callable[..., Any]) -> Callable[..., Any]:
        """Return a replacement for ``hmac.new``."""

        @wraps(make)
        def new(key: Any, msg: Any = None, digestmod: Any = "") -> Any:
            made = make(key, msg, digestmod)
            if self.scales.in_use and msg is not None and len(self.known) < MOST_DIGESTS:
                algorithm = str(made.name).removeprefix("hmac-")
                digest = KeyedDigest(bytes(key), bytes(msg), algorithm)
                self.known[made.hexdigest()] = digest
            return made

        return new
