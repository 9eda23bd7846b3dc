"""Finds where an application keeps a text, so written tests read a key there and do not contain it.

The places come from `sut.state.readable_places`. A text that is only in the environment, or in a
file outside the project, is a secret: no test may contain it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from types import ModuleType
from typing import Any

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.state.readable_places import LARGEST_FILE
from pytest_evosearch.sut.state.readable_places import Place
from pytest_evosearch.sut.state.readable_places import places
from pytest_evosearch.sut.state.readable_places import quoted
from pytest_evosearch.sut.surroundings import is_project_file

_NAMES_A_SECRET = re.compile(r"pass|pwd|secret|token|key|credential|salt|auth", re.IGNORECASE)
_NAMES_A_PLACE = re.compile(r"region|zone|locale|^lang$|^lc_", re.IGNORECASE)
"""Variables such as ``AWS_DEFAULT_REGION``: many machines share their values."""
_PLAIN = re.compile(
    r"(?:https?://)?(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[?::1\]?)(?::\d+)?/?"
    r"|[a-z]+(?:[ ._-][a-z]+)*",
    re.IGNORECASE,
)
"""Values that tell nothing: words, and addresses of this machine."""

SHORTEST_SECRET = 8
"""Fewest characters of a variable's value that is kept out of the written tests."""


@dataclass(frozen=True)
class Origin:
    """The place of a text."""

    expression: str
    """Expression that reads it; ``app`` is the application."""
    imports: tuple[str, ...] = ()
    """Imports for the expression."""
    owner: str = ""
    """The last key on the way to it, or its value if it is a key: mostly the owner's name."""
    is_setting: bool = False
    """Whether the owner is a name of a setting or a variable, not of a person."""
    is_key: bool = False
    """Whether the text is a key, and the owner its value."""


def origin_of(text: object, app: Any, modules: Sequence[ModuleType]) -> Origin | None:
    """Return the first place of a text or an object, None when there is none.

    An empty text has no place: it may stand anywhere.
    """
    if text == "":
        return None
    key: Origin | None = None
    for place in places(app, modules):
        if _is(place.value, text):
            decoded = ".decode()" if isinstance(place.value, bytes) else ""
            expression = place.expression + decoded
            return Origin(expression, place.imports, place.owner, place.is_setting)
        held = place.value
        if key is None and isinstance(text, str) and isinstance(held, dict) and text in held:
            owner = held[text]
            expression = _key_expression(place, text)
            named = owner if isinstance(owner, str) else ""
            key = Origin(expression, place.imports, named, is_key=True) if expression else None
    return key


def _key_expression(place: Place, key: str) -> str:
    """Return the expression for a key of a dict: by its value, or by its position.

    A short key without an owner is an ordinary word, and is written literally.
    """
    held: Any = place.value
    owner = held[key]
    if isinstance(owner, str) and list(held.values()).count(owner) == 1:
        pairs = f"key, owner in {place.expression}.items()"
        return f"next(key for {pairs} if owner == {quoted(owner)})"
    if not isinstance(owner, str) and len(key) < SHORTEST_SECRET:
        return ""
    return f"list({place.expression})[{list(held).index(key)}]"


def secret_place(text: str, secrets: Mapping[str, str], files: Iterable[Path]) -> str:
    """Return the origin of a text that no test may contain; empty when it is no secret."""
    for secret, place in secrets.items():
        if secret in text:
            return place
    for path in files:
        if len(text) >= SHORTEST_SECRET and text in _content(path):
            return f"the file {path}"
    return ""


def environment_secrets(
    environment: Mapping[str, str],
    known: AbstractSet[str] = frozenset(),
    sources: Iterable[Path] = (),
) -> dict[str, str]:
    """Return possibly secret values of environment variables, with their names for messages.

    `known` are the variables that the written tests set themselves.  What stands in one of the
    project's `sources` is no secret: a conftest that sets an address, and tests that expect it.
    """
    found = {
        value: f"the environment variable {name}"
        for name, value in environment.items()
        if name not in known and len(value) >= SHORTEST_SECRET
        if _NAMES_A_SECRET.search(name)
        or not (_NAMES_A_PLACE.search(name) or _PLAIN.fullmatch(value))
    }
    for path in sources:
        content = _content(path)
        found = {value: place for value, place in found.items() if value not in content}
    return found


def loaded_sources(root: Path) -> list[Path]:
    """Return the files below `root` of the modules that are loaded, those of tests included."""
    files = [str(getattr(module, "__file__", None) or "") for module in [*sys.modules.values()]]
    paths = [Path(file) for file in dict.fromkeys(files) if file.endswith(".py")]
    return [path for path in paths if is_project_file(path, root)]


def named_files(app: Any, environment: Mapping[str, str], root: Path) -> list[Path]:
    """Return files outside the project that settings and the environment name."""
    texts = [value for value in app.config.values() if isinstance(value, (str, Path))]
    texts += environment.values()
    return [path for path in map(Path, dict.fromkeys(map(str, texts))) if _is_outside(path, root)]


def _is_outside(path: Path, root: Path) -> bool:
    try:
        if not path.is_absolute() or not path.is_file() or path.is_relative_to(root):
            return False
        return path.stat().st_size <= LARGEST_FILE
    except (OSError, ValueError):
        return False


def _content(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _is(value: object, text: object) -> bool:
    if not isinstance(text, str):
        return value is text
    if isinstance(value, bytes):
        return value == text.encode("utf-8", "surrogatepass")
    return isinstance(value, str) and value == text
