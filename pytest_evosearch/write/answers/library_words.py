"""Recognises words that no code of the project writes: those of libraries, Python and the system.

Another version of a library, or another machine, says the same in other words.  A message is
searched in the files that this process has loaded: first in those of the project, which are neither
installed nor Python's own, then in all others, sources and machine code alike.  The latter holds
what SQLite, C's library or a validator written in Rust say.
"""

from __future__ import annotations

import re
import sys
import sysconfig
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from pytest_evosearch.core.folder_names import INSTALLED
from pytest_evosearch.write.answers.page_texts import says_only_the_status

MOST_WORDS, FEWEST_WORDS = 5, 3
"""Words of the beginning of a message that are searched, and of a shorter beginning."""

MOST_FILLED = 2
"""Most words at the beginning of a message that a library may have filled in."""

SHORTEST = 12
"""Fewest characters of what is searched: shorter texts are found by chance."""

_GAP = re.compile(r"\d+|:\s|(?<!\w)['\"`]|['\"`](?!\w)|[\"`\[\]{}<>()=/\\\0]")
"""What a message may have been given: numbers, quoted values, addresses."""

_OF_PYTHON = tuple(map(sysconfig.get_path, ("stdlib", "platstdlib")))
"""Folders of the standard library."""

_WATCHING = ("pytest_evosearch", "_pytest")
"""Packages that never answer a request."""

_MAPPED = Path("/proc/self/maps")


def is_of_library(text: str, sent: Iterable[str] = ()) -> bool:
    """Say whether others than the project say `text`, or a part of it.

    What was `sent` is no one's words, and the phrase of a status is everybody's.
    """
    for value in sent:
        if len(value) >= FEWEST_WORDS:
            text = text.replace(value, "\0")
    parts = [part for part in _GAP.split(text) if not says_only_the_status(part.strip())]
    rests = [_after_own_words(part) for part in parts]
    return any(map(_is_foreign, filter(None, map(_beginnings, (*parts, *rests)))))


@lru_cache(maxsize=1024)
def _after_own_words(fragment: str) -> str:
    """Return what stands after the words of the project in a part of a message, if anything does.

    That may be what an exception says: ``f"bad or no data {error}"``.
    """
    words = fragment.split()
    own = [_content(file) for file in _loaded_files()[0]] if len(words) > MOST_WORDS else []
    first = 0
    while own and len(words) - first > FEWEST_WORDS:
        known = next(
            (
                most
                for most in range(len(words), first + 1, -1)
                if any(" ".join(words[first:most]).encode() in content for content in own)
            ),
            first,
        )
        if known == first:
            break
        first = known
    return " ".join(words[first:]) if first else ""


def _beginnings(fragment: str) -> tuple[str, ...]:
    """Return beginnings of a part of a message, the longest first; none of one without words."""
    words = fragment.split()
    if len(words) < 2:
        return ()
    found = dict.fromkeys(" ".join(words[:most]) for most in (MOST_WORDS, FEWEST_WORDS))
    return tuple(one for one in found if len(one) >= SHORTEST)


@lru_cache(maxsize=1024)
def _is_foreign(beginnings: tuple[str, ...]) -> bool:
    """Say whether a file of others contains one of some beginnings, and none of the project.

    Machine code may also hold a sentence with a slot, and the words that fill it.
    """
    sought = [one.encode() for one in beginnings]
    filled = _filled_in(beginnings[0])
    own, others = _loaded_files()
    if any(one in content for content in map(_content, own) for one in sought):
        sought = []
    return any(_says(file, sought, filled) for file in others if sought or filled)


def _says(file: Path, sought: Sequence[bytes], filled: Sequence[tuple[bytes, bytes]]) -> bool:
    """Say whether a file holds what is sought, or machine code a sentence and what fills it."""
    content = _content(file)
    if any(one in content and _is_said(one, content, file) for one in sought):
        return True
    is_machine_code = file.suffix != ".py"
    return is_machine_code and any(one in content and by in content for by, one in filled)


def _filled_in(beginning: str) -> list[tuple[bytes, bytes]]:
    """Return the words that may fill a slot at a beginning, each with the sentence around it.

    SQLite has ``%s constraint failed``, and ``NOT NULL`` as a text of its own.
    """
    words = beginning.split()
    pairs = [
        (f"\0{' '.join(words[:first])}\0".encode(), f"%s {' '.join(words[first:])}".encode())
        for first in range(1, min(MOST_FILLED + 1, len(words) - 1))
    ]
    return [pair for pair in pairs if len(pair[1]) >= SHORTEST]


def _is_said(sought: bytes, content: bytes, file: Path) -> bool:
    """Say whether a file holds a beginning as a text: in a source, it follows a quote or a gap."""
    if file.suffix != ".py":
        return True
    return re.search(rb"[\"'}]\s?" + re.escape(sought), content) is not None


def _loaded_files() -> tuple[Sequence[Path], Sequence[Path]]:
    """Return the sources that are loaded and of no library, and all other loaded files."""
    modules = dict.fromkeys(_modules())
    own = [one for one in modules if not _is_of_others(one)]
    return own, [*dict.fromkeys((*filter(_is_of_others, modules), *_mapped()))]


def _is_of_others(file: Path) -> bool:
    """Say whether a module is installed, or Python's own."""
    is_installed = not INSTALLED.isdisjoint(file.parts) or file.suffix != ".py"
    return is_installed or any(map(file.is_relative_to, _OF_PYTHON))


def _modules() -> Iterator[Path]:
    for name, module in sorted(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and name.partition(".")[0] not in _WATCHING:
            yield Path(file)


def _mapped() -> list[Path]:
    """Return the files of machine code of this process, where the system tells them."""
    if not _MAPPED.exists():
        return [Path(sys.executable)]
    lines = _MAPPED.read_text(encoding="utf-8", errors="replace").splitlines()
    places = (line.partition("/")[2] for line in lines if " r-xp " in line and "/" in line)
    return [Path("/", place) for place in dict.fromkeys(places)]


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""
