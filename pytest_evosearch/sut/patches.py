"""Replaces attributes and items, and puts everything back: the one way in which we patch.

    with Patches() as patches:
        patches.setattr(socket.socket, "connect", refuse)    also where the class inherits it
        patches.wrap(hashlib, "scrypt", once)                by what is made of the real one
        patches.everywhere(Replacement((jwt,), "decode", decode))   also where it was imported

What was replaced last is put back first.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Sequence
from contextlib import ExitStack
from contextlib import suppress
from types import ModuleType
from typing import Any
from typing import NamedTuple

_MISSING = object()

_UNTOUCHED = frozenset({"_operator", "operator"})
"""Modules in C and their fronts, which other modules import a function from."""


class Replacement(NamedTuple):
    """A function of a library, by the modules that own it, and its replacement."""

    owners: tuple[ModuleType, ...]
    name: str
    stand_in: Any


class Patches(ExitStack):
    """Replacements until the end of a block, or until `undo`.

    Its methods `setattr` and `setitem` are those of pytest's ``monkeypatch``, so that the text of
    a written fixture can run with it.
    """

    def setattr(self, owner: Any, name: Any, value: Any = _MISSING) -> None:
        """Set an attribute; ``setattr("module.name", value)`` sets one of a loaded module."""
        if value is _MISSING:
            value = name
            module, _, name = owner.rpartition(".")
            owner = sys.modules[module]
        before = own_attribute(owner, name)
        setattr(owner, name, value)
        if before is _MISSING:
            self.callback(_remove, owner, name)
        else:
            self.callback(setattr, owner, name, before)

    def setitem(self, holder: Any, key: object, value: object) -> None:
        """Set a value in a dict."""
        if key in holder:
            self.callback(holder.__setitem__, key, holder[key])
        else:
            self.callback(holder.pop, key, None)
        holder[key] = value

    def wrap(self, owner: Any, name: str, wrap: Callable[[Any], Any]) -> None:
        """Replace an attribute by what `wrap` makes of it; skip a missing or inherited one."""
        real = own_attribute(owner, name)
        if real is not _MISSING:
            self.setattr(owner, name, wrap(real))

    def everywhere(self, *replacements: Replacement) -> None:
        """Replace functions wherever a loaded module holds them.

        They are put back even in modules that were loaded meanwhile.
        """
        originals = [getattr(one.owners[0], one.name) for one in replacements]
        places = [[(owner, one.name) for owner in one.owners] for one in replacements]
        for module, name, place in _bindings(originals):
            if (module, name) not in places[place]:
                places[place].append((module, name))
        for one, found in zip(replacements, places, strict=True):
            for module, name in found:
                setattr(module, name, one.stand_in)
        self.callback(_put_back, [one.stand_in for one in replacements], originals)

    def undo(self) -> None:
        """Put everything back; the next replacements are further ones."""
        self.close()


def bindings_of(value: object, modules: Iterable[object]) -> list[tuple[ModuleType, str]]:
    """Return where modules hold a value, each with its name there."""
    return [
        (module, name)
        for module in modules
        if isinstance(module, ModuleType)
        for name, held in list(vars(module).items())
        if held is value
    ]


def own_attribute(owner: Any, name: str) -> Any:
    """Return an attribute as it is stored: of a class or module only its own."""
    if isinstance(owner, (type, ModuleType)):
        return vars(owner).get(name, _MISSING)
    return getattr(owner, name, _MISSING)


def _remove(owner: Any, name: str) -> None:
    with suppress(AttributeError):  # the application has removed it
        delattr(owner, name)


def _put_back(stand_ins: Sequence[Any], originals: Sequence[Any]) -> None:
    for module, name, place in _bindings(stand_ins):
        setattr(module, name, originals[place])


def _bindings(functions: Sequence[Any]) -> list[tuple[ModuleType, str, int]]:
    """Return the places in loaded modules that hold one of `functions`, and which one.

    One pass handles all functions: a program has tens of thousands of names.
    """
    wanted = {id(one): place for place, one in enumerate(functions)}
    found = []
    for module in list(sys.modules.values()):
        if not isinstance(module, ModuleType) or module.__name__ in _UNTOUCHED:
            continue
        if not wanted.keys().isdisjoint(map(id, list(vars(module).values()))):
            names = list(vars(module).items())
            found += [(module, name, wanted[id(one)]) for name, one in names if id(one) in wanted]
    return found
