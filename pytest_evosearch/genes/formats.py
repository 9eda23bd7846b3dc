"""Texts of well-known formats, and raw bytes."""

from __future__ import annotations

import base64
import binascii
import re
import string
import uuid
from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from pytest_evosearch.core.http_words import EXAMPLE_HOST
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes import characters
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.formatted import FormattedGene

DOMAINS = (EXAMPLE_HOST, EXAMPLE_HOST, "example.org", "mail.example.net", "a.co")
"""Reserved for documentation (RFC 2606), so that no generated test names a real host."""

SCHEMES = ("http", "http", "https", "ftp")

USUAL_BYTES = 8

ATTEMPTS = 12


@dataclass(frozen=True)
class UuidGene(FormattedGene):
    """A UUID in its canonical form with hyphens."""

    current: str = "00000000-0000-4000-8000-000000000000"

    def is_well_formed(self, text: str) -> bool:
        """Say whether `text` is a UUID in canonical form, in either case."""
        return _UUID.fullmatch(text) is not None

    def draw(self, rng: Random) -> str:
        """Return a version 4 UUID, rarely one that looks like a small number."""
        if rng.random() < 0.1:
            return str(uuid.UUID(int=rng.randint(0, 3)))
        return str(uuid.UUID(int=rng.getrandbits(128), version=4))

    def vary(self, rng: Random, strength: float) -> str:
        """Change one hexadecimal digit, count up or down by 2^i, or change to capitals."""
        kind = rng.random()
        if kind < 0.05:
            return self.current.swapcase()
        if kind < 0.5:
            step = rng.choice((1, -1)) * (1 << rng.randint(0, round(strength * 64)))
            return str(uuid.UUID(int=(uuid.UUID(self.current).int + step) % 2**128))
        at = rng.choice([i for i, character in enumerate(self.current) if character != "-"])
        return self.current[:at] + rng.choice("0123456789abcdef") + self.current[at + 1 :]

    def malformed(self) -> tuple[str, ...]:
        """Return texts that are no UUID, or lack a digit."""
        return ("1", "0" * 31, "not-a-uuid", "")


_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_EMAIL = re.compile(r"[A-Za-z0-9_.+-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+")
_LOCAL_CHARACTERS = string.ascii_lowercase + string.digits
_LABEL_CHARACTERS = string.ascii_lowercase


@dataclass(frozen=True)
class EmailGene(FormattedGene):
    """An e-mail address."""

    current: str = "a@example.com"

    def is_well_formed(self, text: str) -> bool:
        """Say whether `text` looks like an address that every validator accepts."""
        return _EMAIL.fullmatch(text) is not None

    def draw(self, rng: Random) -> str:
        """Return an address at a domain reserved for examples."""
        local = characters.draw_text(rng, 1, 8, _LOCAL_CHARACTERS)
        return f"{local}@{rng.choice(DOMAINS)}"

    def vary(self, rng: Random, strength: float) -> str:
        """Change the local part, or replace the domain."""
        local, _, domain = self.current.rpartition("@")
        if rng.random() < 0.2:
            return f"{local}@{rng.choice(DOMAINS)}"
        changed = characters.vary_text(local, rng, strength, _LOCAL_CHARACTERS)
        return f"{changed or 'a'}@{domain}"

    def malformed(self) -> tuple[str, ...]:
        """Return addresses with a missing part."""
        return ("a", "@", "a@", "@example.com", "a@@example.com", "a b@example.com", "")


_URL = re.compile(r"[a-z][a-z0-9+.-]*://[A-Za-z0-9.-]+(:\d+)?(/[^\s?#]*)?(\?[^\s#]*)?(#\S*)?")


@dataclass(frozen=True)
class UrlGene(FormattedGene):
    """An absolute URL."""

    current: str = f"http://{EXAMPLE_HOST}/"

    def is_well_formed(self, text: str) -> bool:
        """Say whether `text` has a scheme and a host."""
        return _URL.fullmatch(text) is not None

    def draw(self, rng: Random) -> str:
        """Return a URL at a domain reserved for examples, sometimes with a path and a query."""
        url = f"{rng.choice(SCHEMES)}://{rng.choice(DOMAINS)}/"
        if rng.random() < 0.5:
            url += characters.draw_text(rng, 1, 6, _LABEL_CHARACTERS)
        if rng.random() < 0.15:
            url += f"?{rng.choice('abc')}={rng.randint(0, 9)}"
        return url

    def vary(self, rng: Random, strength: float) -> str:
        """Change the scheme, the host or the rest."""
        scheme, _, rest = self.current.partition("://")
        host, _, tail = rest.partition("/")
        kind = rng.random()
        if kind < 0.15:
            scheme = rng.choice(SCHEMES)
        elif kind < 0.35:
            host = rng.choice(DOMAINS)
        else:
            tail = characters.vary_text(tail, rng, strength, _LOCAL_CHARACTERS + "/")
        return f"{scheme}://{host}/{tail}"

    def malformed(self) -> tuple[str, ...]:
        """Return relative references, an invalid scheme, and no URL at all."""
        return ("/", "example.com", "http://", "://", "javascript:alert(1)", "x", "")


@dataclass(frozen=True)
class Base64Gene(FormattedGene):
    """Bytes in base64 (RFC 4648, with padding)."""

    current: str = ""

    def is_well_formed(self, text: str) -> bool:
        """Say whether `text` can be decoded."""
        return _decoded(text) is not None

    def draw(self, rng: Random) -> str:
        """Return a few random bytes, mostly readable text, in base64."""
        return _encoded(draw_bytes(rng))

    def vary(self, rng: Random, strength: float) -> str:
        """Change the encoded bytes."""
        return _encoded(vary_bytes(_decoded(self.current) or b"", rng, strength))

    def malformed(self) -> tuple[str, ...]:
        """Return texts with wrong padding or foreign characters."""
        return ("a", "=", "YQ", "!!!!")

    def simpler(self) -> Iterator[Gene]:
        """Yield encodings of simpler bytes, or simpler texts once it is malformed."""
        content = _decoded(self.current)
        if content is None:
            yield from super().simpler()
            return
        for simpler in simpler_bytes(content):
            yield self.holding(_encoded(simpler))


def _encoded(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")


def _decoded(text: str) -> bytes | None:
    try:
        content = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    # Versions of Python differ in what else they accept.
    return content if _encoded(content) == text else None


@dataclass(frozen=True)
class BytesGene(Gene):
    """Raw bytes: the content of a file or of a body; lengths are in bytes."""

    is_binary: ClassVar[bool] = True

    minimum_length: int = 0
    maximum_length: int | None = None
    current: bytes = b""

    def value(self) -> bytes:
        """Return the bytes."""
        return self.current

    def sample(self, rng: Random) -> BytesGene:
        """Return a few bytes that are mostly readable text."""
        return self._holding(draw_bytes(rng), rng)

    def _holding(self, content: bytes, rng: Random) -> BytesGene:
        missing = self.minimum_length - len(content)
        content += bytes(rng.randrange(256) for _ in range(missing))
        return replace(self, current=content[: self.maximum_length])

    def mutate(self, rng: Random, strength: float = 0.5) -> BytesGene:
        """Change, insert, delete or repeat bytes."""
        for _ in range(ATTEMPTS):
            changed = self._holding(vary_bytes(self.current, rng, strength), rng)
            if changed.current != self.current:
                return changed
        return self

    def adopt(self, value: object) -> BytesGene | None:
        """Hold bytes, or text encoded in UTF-8."""
        if isinstance(value, str):
            value = value.encode("utf-8", "replace")
        return (
            replace(self, current=bytes(value)) if isinstance(value, (bytes, bytearray)) else None
        )

    def simpler(self) -> Iterator[Gene]:
        """Yield shorter bytes that are long enough, then plainer ones."""
        for content in simpler_bytes(self.current):
            if len(content) >= self.minimum_length:
                yield replace(self, current=content)


def draw_bytes(rng: Random) -> bytes:
    """Draw a few bytes: readable text in two of three cases."""
    if rng.random() < 0.65:
        return characters.draw_text(rng).encode("utf-8", "replace")
    return bytes(rng.randrange(256) for _ in range(rng.randint(0, USUAL_BYTES)))


def vary_bytes(content: bytes, rng: Random, strength: float) -> bytes:
    """Return `content` with one small change; the result may equal `content`."""
    if not content or rng.random() < 0.05:
        return draw_bytes(rng)
    at = rng.randrange(len(content))
    kind = rng.random()
    if kind < 0.4:
        step = rng.choice((1, -1)) * (1 << rng.randint(0, round(strength * 7)))
        return content[:at] + bytes([(content[at] + step) % 256]) + content[at + 1 :]
    if kind < 0.65:
        return content[:at] + bytes([rng.randrange(256)]) + content[at:]
    if kind < 0.9:
        return content[:at] + content[at + 1 :]
    return content + content[at:]


def simpler_bytes(content: bytes) -> Iterator[bytes]:
    """Yield simpler bytes, the simplest first: none, ``a``, halves, then plainer ones."""
    # Latin-1 maps bytes to characters one to one, so the order of texts works for bytes.
    for text in characters.simpler_texts(content.decode("latin-1")):
        yield text.encode("latin-1", "replace")
