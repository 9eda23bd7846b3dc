"""Replaces values that an application keeps in memory or in a file, for a test.

    a setting, an attribute, a global    ``monkeypatch.setitem(app.users, "mira", "5f2c...")``
    a list, a tuple, a set               its holder is given another one
    a file that a setting names          the setting names a copy with other lines

Written tests and the search run the statements that this module makes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from types import ModuleType
from typing import Any

from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.deeds import Deed
from pytest_evosearch.sut.patches import Patches
from pytest_evosearch.sut.state.readable_places import Place
from pytest_evosearch.sut.state.readable_places import places
from pytest_evosearch.sut.users.accounts import NAME_COLUMNS

FIXTURES = ("monkeypatch", "tmp_path")

SHORTEST_KEPT = 8
"""Fewest characters of a computed value: shorter texts are ordinary words."""

LONGEST_KEPT = 20_000

_CHANCE = re.compile(r"(?=.*\d)[A-Za-z0-9+/=_.$-]{6,128}")
"""Form of a random text: a hash may depend on one beside it."""


@dataclass(frozen=True)
class KeptValue:
    """A text, its place, and random texts beside it."""

    place: Place
    text: str | bytes
    is_member: bool = False
    """Whether the text is a key of the dict, or a member of the set, at the place."""

    @property
    def owner(self) -> str:
        """Name of the owner, as far as the path shows it."""
        holder = self.place.holder
        if holder is None or self.place.is_setting or self.is_member:
            return ""
        beside = dict(_siblings(self.place))
        named = [beside[name] for name in NAME_COLUMNS if isinstance(beside.get(name), str)]
        return str(named[0]) if named else self.place.owner

    def statements(self, value: str | bytes, code: str = "") -> Iterator[str]:
        """Yield what puts `value` there, which `code` may compute; they know the fixtures."""
        code = code or code_of(value)
        if self.is_member:
            yield from _put_member(self.place, self.text, code)
        elif self.is_content:
            yield from _put_content(self.place, str(self.text), str(value))
        else:
            is_text = isinstance(value, str)
            yield from _put(self.place, _like(self.place.value, code) if is_text else code)
            for name, held in _siblings(self.place):
                if isinstance(held, (str, bytes)) and _is_drawn(held):
                    place = Place("", held, holder=self.place.holder, step=name)
                    yield from _put(place, code_of(held))

    @property
    def imports(self) -> tuple[str, ...]:
        """Imports for the statements."""
        return self.place.imports

    @property
    def is_content(self) -> bool:
        """Whether it is the content of a file that a setting names."""
        return self.place.holder is not None and self.place.step is None


def code_of(value: object) -> str:
    """Return a value as code; bytes as hexadecimal digits."""
    return f'bytes.fromhex("{value.hex()}")' if isinstance(value, bytes) else json.dumps(value)


def kept_texts(app: Any, modules: Sequence[ModuleType]) -> Iterator[str | bytes]:
    """Yield texts, and bytes that are none, that an application keeps; all as long as a hash."""
    for place in places(app, modules):
        for text in _texts_at(place):
            if SHORTEST_KEPT <= len(text) <= LONGEST_KEPT:
                yield text


def kept_value(text: str | bytes, app: Any, modules: Sequence[ModuleType]) -> KeptValue | None:
    """Return the first place at which a text is kept, None where there is none."""
    for place in places(app, modules):
        if text in _texts_at(place):
            return KeptValue(place, text, isinstance(place.value, (dict, set, frozenset)))
    return None


@dataclass(frozen=True)
class PutKept:
    """Sets values before the first request of a user."""

    deed: Deed
    """Uses `FIXTURES`."""
    putting: Patches = field(compare=False)
    folder: Path = field(compare=False)
    """Folder for copies of files."""

    def __call__(self, client: Any) -> None:
        """Change the application's values; `client` is one of it."""
        with suppress(Exception):  # an object that accepts no other value: nothing is set
            self.deed.run(app=client.application, monkeypatch=self.putting, tmp_path=self.folder)


def _texts_at(place: Place) -> Iterator[str | bytes]:
    value = place.value
    if isinstance(value, str):
        yield value
    elif isinstance(value, bytes):
        try:
            yield value.decode()
        except UnicodeDecodeError:
            yield value
    elif isinstance(value, (dict, set, frozenset)):
        yield from (key for key in value if isinstance(key, str))


def _like(value: object, code: str) -> str:
    return f"{code}.encode()" if isinstance(value, bytes) else code


def _put(place: Place, code: str) -> Iterator[str]:
    """Yield statements that set another value at a place."""
    holder = place.holder
    if holder is None:
        yield _put_root(place, code)
    elif isinstance(holder.value, Mapping):
        yield f"monkeypatch.setitem({holder.expression}, {json.dumps(place.step)}, {code})"
    elif isinstance(holder.value, (list, tuple)):
        changed = "changed" if isinstance(holder.value, list) else "tuple(changed)"
        yield f"changed = list({holder.expression})"
        yield f"changed[{place.step}] = {code}"
        yield from _put(holder, changed)
    else:
        yield f"monkeypatch.setattr({holder.expression}, {json.dumps(place.step)}, {code})"


def _put_root(place: Place, code: str) -> str:
    """Return the statement that sets a setting, an attribute of the application or a global."""
    holder, bracket, _key = place.expression.partition("[")
    if bracket:
        return f"monkeypatch.setitem({holder}, {json.dumps(place.owner)}, {code})"
    if place.expression.startswith("app."):
        return f'monkeypatch.setattr(app, "{place.owner}", {code})'
    module = place.imports[0].split()[1]
    return f'monkeypatch.setattr("{module}.{place.owner}", {code})'


def _is_drawn(value: str | bytes) -> bool:
    """Say whether a value looks drawn by chance: a hash may depend on it."""
    return isinstance(value, bytes) or _CHANCE.fullmatch(value) is not None


def _put_member(place: Place, text: str | bytes, code: str) -> Iterator[str]:
    """Yield the statements that replace a key or add a member; the old one stays."""
    value = place.value
    if isinstance(value, dict):
        owned = f"list({place.expression}.values())[{list(value).index(text)}]"
        yield f"monkeypatch.setitem({place.expression}, {code}, {owned})"
    else:
        yield from _put(place, f"{place.expression} | {{{code}}}")


def _put_content(place: Place, before: str, after: str) -> Iterator[str]:
    """Yield statements that point a setting to a copy of its file with other lines."""
    setting = place.holder
    assert setting is not None
    yield f"lines = {place.expression}.splitlines()"
    for number, (old, new) in enumerate(zip(before.splitlines(), after.splitlines(), strict=True)):
        if old != new:
            yield f"lines[{number}] = {json.dumps(new)}"
    yield 'copy = tmp_path / "copy"'
    yield 'copy.write_text("\\n".join(lines) + "\\n")'
    yield from _put(setting, "copy" if isinstance(setting.value, Path) else "str(copy)")


def _siblings(place: Place) -> Iterator[tuple[str, object]]:
    """Yield the values beside a value, in its dict or object."""
    holder = place.holder
    if holder is None or isinstance(holder.value, (str, bytes, Path, list, tuple)):
        return
    held = holder.value if isinstance(holder.value, Mapping) else vars(holder.value)
    for name, value in list(held.items()):
        if isinstance(name, str) and name != place.step:
            yield name, value
