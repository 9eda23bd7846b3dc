"""Writes the texts of keys as code that reads them where the application keeps them."""

from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Sequence
from dataclasses import field

from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.users.origins import Origin

SHORTEST_KEY = 16
"""Fewest characters of a part of an address that is searched among the application's keys."""

BASIC = '"Basic " + b64encode(account.encode()).decode()'
SEPARATORS = re.compile(r"([ :=,;&/]+)")

Find = Callable[[str], "Origin | None"]


@dataclass(frozen=True)
class KeyWriter:
    """Writes the texts of keys as code that reads them."""

    find: Find
    imports: dict[str, None] = field(default_factory=dict)
    origins: dict[str, None] = field(default_factory=dict)
    literals: dict[str, None] = field(default_factory=dict)

    def parts(self, text: str, owners: Collection[str]) -> list[tuple[str, bool]]:
        """Return the parts of a text: code, or literal text."""
        if text in owners:
            return [(text, False)]
        origin = self.find(text)
        if origin is not None:
            return [(self._noted(origin), True)]
        pieces = [piece for piece in SEPARATORS.split(text) if piece]
        if text.startswith("/") and not any(map(self._is_long_and_kept, pieces)):
            return [(text, False)]  # an address, whose words are no secrets
        found = [(piece, self.find(piece)) if len(piece) > 2 else (piece, None) for piece in pieces]
        if not any(each for _piece, each in found):
            self.literals[text] = None
            return [(text, False)]
        parts = []
        for piece, each in found:
            if each is None:
                self.literals[piece] = None
            parts.append((piece, False) if each is None else (self._noted(each), True))
        return parts

    def _is_long_and_kept(self, piece: str) -> bool:
        return len(piece) >= SHORTEST_KEY and self.find(piece) is not None

    def code(self, text: str, owners: Collection[str]) -> str:
        """Return the code for a text."""
        return _code(self.parts(text, owners))

    def pair(self, pair: tuple[str, str], owners: Collection[str]) -> str:
        """Return the code for name and password in the form of HTTP Basic."""
        self.imports["from base64 import b64encode"] = None
        return _code([*self.parts(pair[0], owners), (":", False), *self.parts(pair[1], owners)])

    def _noted(self, origin: Origin) -> str:
        self.origins[origin.expression] = None
        self.imports.update(dict.fromkeys(origin.imports))
        return origin.expression


def _code(parts: Sequence[tuple[str, bool]]) -> str:
    if len(parts) == 1 and parts[0][1]:
        return parts[0][0]
    if not any(is_code for _text, is_code in parts):
        return quoted("".join(text for text, _is_code in parts))
    if any(is_code and ("'" in text or "\\" in text) for text, is_code in parts):
        return " + ".join(text if is_code else quoted(text) for text, is_code in parts)
    pieces = []
    for text, is_code in parts:
        if is_code:
            pieces.append("{" + text.replace('"', "'") + "}")
        else:
            pieces.append(quoted(text)[1:-1].replace("{", "{{").replace("}", "}}"))
    return 'f"' + "".join(pieces) + '"'


def quoted(text: str) -> str:
    """Return a text as a literal in double quotes."""
    return str(json.dumps(text))
