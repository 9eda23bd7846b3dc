"""Finds words that make prose hard to read: ``python tests/plain_english.py`` shows the places."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent / "pytest_evosearch"

WORDS = re.compile(
    r"\b(nobody|somebody|whoever|in vain|affairs?|hear of|hears of|heard of|hearing of"
    r"|mend|mends|mended|likewise|as ever|anyhow)\b",
    re.IGNORECASE,
)
"""Old-fashioned words, and those that send the reader to a sentence that stands elsewhere."""

QUOTED = re.compile(r"``.*?``|`[^`\n]*`|\"[^\"\n]*\"|'[\w-]+'")
"""Names of code and what applications say: they are no prose."""


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


def places(root: Path = ROOT) -> Iterator[Place]:
    """Yield every place below a folder where a word to avoid stands."""
    for path in sorted(root.rglob("*.py")):
        for line, text in prose_of(path.read_text(encoding="utf-8")):
            for match in WORDS.finditer(text):
                below = text.count("\n", 0, match.start())
                yield Place(str(path.relative_to(root)), line + below, match[0].lower())


def main() -> None:
    """Print the places."""
    for file, line, word in places():
        sys.stdout.write(f"{file}:{line}: {word}\n")


if __name__ == "__main__":
    main()
