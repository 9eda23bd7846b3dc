"""Files to upload: a name, and a content that mostly fits the name.

Applications check the ending of a name first (``ALLOWED_EXTENSIONS``). They also check for an empty
name, which a browser sends when no file was chosen. Libraries check the first bytes of the content.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.composite import CompositeGene
from pytest_evosearch.genes.text import TextGene

USUAL_ENDING = "txt"

_PICTURE = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~\x9bU"
    b"\x00\x00\x00\nIDATx\x9cc`\x00\x00\x00\x02\x00\x01H\xaf\xa4q\x00\x00\x00\x00IEND\xaeB`\x82"
)
"""One black pixel, which Pillow opens with any ending of the name."""

_MOVING_PICTURE = (
    b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,"
    b"\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
)

KINDS = (
    ("png", _PICTURE),
    ("jpg", _PICTURE),
    ("gif", _MOVING_PICTURE),
    ("pdf", b"%PDF-1.4\n%%EOF\n"),
    ("csv", b"a,b\n1,2\n"),
    ("json", b'{"a": 1}'),
    ("xml", b"<a>1</a>"),
    ("html", b"<p>a</p>"),
    ("zip", b"PK\x05\x06" + bytes(18)),
    ("md", b"# a\n"),
    ("py", b"a = 1\n"),
)
"""Endings, each with the smallest content of this kind."""

_USUAL_SHARE, _NAMELESS_SHARE = 0.4, 0.04
_AGREEING_SHARE = 0.7
"""How often the content fits the name."""


@dataclass(frozen=True)
class FileNameGene(TextGene):
    """The name of a file; it is plain when only its ending is special."""

    stem: str = "file"

    def simpler(self) -> Iterator[Gene]:
        """Yield the usual name, then the usual name with the present ending."""
        usual = _named(self.stem, USUAL_ENDING)
        _, dot, ending = self.current.rpartition(".")
        for name in (usual, _named(self.stem, ending)) if dot else (usual,):
            if self.current not in (usual, name):
                yield self.holding(name)


@dataclass(frozen=True)
class FileGene(CompositeGene):
    """A file with a name; `stem` is the name without the ending."""

    inside: ClassVar[tuple[str, ...]] = ("filename", "content")

    stem: str
    filename: Gene
    content: Gene

    def value(self) -> object:
        """Return ``{"filename": ..., "content": ...}``."""
        return {"filename": self.filename.value(), "content": self.content.value()}

    def sample(self, rng: Random) -> Gene:
        """Draw a kind of file, sometimes a file without a name."""
        fresh = replace(self, content=self.content.sample(rng))
        drawn = rng.random()
        if drawn < _NAMELESS_SHARE:
            return fresh._called("")
        if drawn < _USUAL_SHARE:
            return fresh._called(_named(self.stem, USUAL_ENDING))
        return fresh._of_some_kind(rng)

    def restructured(self, rng: Random, strength: float) -> Gene | None:
        """Change it to a file of another kind."""
        return self._of_some_kind(rng)

    def adopt(self, value: object) -> Gene | None:
        """Hold a content, or a mapping with ``filename`` and ``content``."""
        if isinstance(value, dict):
            content = self.content.adopt(value.get("content", b""))
            name = value.get("filename")
            found = self._called(name) if isinstance(name, str) else self
            return None if content is None else replace(found, content=content)
        content = self.content.adopt(value)
        return None if content is None else replace(self, content=content)

    def _called(self, name: str) -> FileGene:
        return replace(self, filename=FileNameGene(current=name, stem=self.stem))

    def _of_some_kind(self, rng: Random) -> FileGene:
        ending, content = rng.choice(KINDS)
        found = self._called(_named(self.stem, ending))
        if rng.random() < _AGREEING_SHARE:
            found = replace(found, content=found.content.adopt(content) or found.content)
        return found


def file_gene(name: str, content: Gene) -> Gene:
    """Return a file for the parameter `name` around the gene of its content."""
    content = content.present()
    if not content.is_binary:
        return content
    stem = name or "file"
    return FileGene(stem, FileNameGene(current=_named(stem, USUAL_ENDING), stem=stem), content)


def _named(stem: str, ending: str) -> str:
    return f"{stem}.{ending}"
