"""Finds words that make prose hard to read: ``python tests/plain_english.py`` shows the places."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent / "pytest_evosearch"

PAGES = ("*.md", "docs/**/*.md", "pytest_evosearch/*.md", "tests/*.md", "conftest_examples/*.md")
"""Pages for people, below the root folder of the project."""

WORDS = re.compile(
    r"\b(nobody|somebody|whoever|in vain|affairs?|hear of|hears of|heard of|hearing of"
    r"|mend|mends|mended|likewise|as ever|anyhow|of late|what not"
    r"|without further ado|by and large|slip of the hand|as it were|one and all"
    r"|to that end|to be had|be had|time and again|at hand|hears?|lets? go of|in question"
    r"|speaks? of|answers? of [1-5](?:\d\d|xx))\b",
    re.IGNORECASE,
)
"""Old-fashioned words, and those that send the reader to a sentence that stands elsewhere."""

QUOTED = re.compile(r"``.*?``|`[^`\n]*`|\"[^\"\n]*\"|'[\w-]+'")
"""Names of code and what applications say: they are no prose."""

CODE_BLOCK = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
"""A block of code in a page."""

MOST_WORDS = 28
"""Words that a sentence of a docstring may have. Lower it when all are shorter, never raise it."""

LAYOUT = re.compile(r"\S {2,}\S|^ *\|", re.MULTILINE)
"""Columns of a table."""


class Place(NamedTuple):
    """A word to avoid, and where it stands."""

    file: str
    line: int
    word: str


def prose_of(source: str) -> Iterator[tuple[int, str]]:
    """Yield the docstrings, comments and messages of a module, with their first lines."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, QUOTED.sub("", node.value)
    for number, line in enumerate(source.splitlines(), 1):
        _, mark, comment = line.partition("# ")
        if mark and line.count('"') % 2 == 0:
            yield number, QUOTED.sub("", comment)


def sentences_of(docstring: str) -> Iterator[str]:
    """Yield the sentences of a docstring's prose, without tables and indented outlines."""
    for part in re.split(r"\n\s*\n|\n\s*- ", inspect.cleandoc(docstring)):
        if not LAYOUT.search(part) and not re.search(r"^    ", part, re.MULTILINE):
            yield from re.split(r"(?<=[.:;!?])\s+", QUOTED.sub("code", " ".join(part.split())))


def long_sentences(root: Path = ROOT, most: int = MOST_WORDS) -> Iterator[Place]:
    """Yield the sentences of docstrings that have more than `most` words."""
    for path in sorted(root.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                text = node.value.value
                for sentence in sentences_of(text) if isinstance(text, str) else ():
                    if len(sentence.split()) > most:
                        yield Place(str(path.relative_to(root)), node.lineno, sentence)


def places(root: Path = ROOT) -> Iterator[Place]:
    """Yield every place below a folder where a word to avoid stands."""
    for path in sorted(root.rglob("*.py")):
        for line, text in prose_of(path.read_text(encoding="utf-8")):
            for match in WORDS.finditer(text):
                below = text.count("\n", 0, match.start())
                yield Place(str(path.relative_to(root)), line + below, match[0].lower())


def places_in_pages(root: Path = ROOT.parent) -> Iterator[Place]:
    """Yield every place in a page of prose, outside of code, where a word to avoid stands."""
    for path in sorted({page for pattern in PAGES for page in root.glob(pattern)}):
        text = CODE_BLOCK.sub(lambda block: "\n" * block[0].count("\n"), path.read_text("utf-8"))
        for number, line in enumerate(text.splitlines(), 1):
            for match in WORDS.finditer(QUOTED.sub("", line)):
                yield Place(str(path.relative_to(root)), number, match[0].lower())


def main() -> None:
    """Print the places."""
    for file, line, word in (*places(), *places_in_pages()):
        sys.stdout.write(f"{file}:{line}: {word}\n")


if __name__ == "__main__":
    main()
