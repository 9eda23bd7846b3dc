"""Shows the application's own code the results of `hash` and `id` of another interpreter.

The hash of a text and the address of an object differ between interpreters. Inside one interpreter
they stay constant, so repeating a test does not show that a response depends on them. For a while,
the modules of the application get functions with the results of another interpreter. Libraries keep
the real functions, because their tables rely on them.
"""

from __future__ import annotations

import datetime
import sys
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import contextmanager
from functools import partial
from operator import is_
from types import ModuleType

from pytest_evosearch.instrument.loading.loader import InstrumentingLoader

Ask = Callable[[object], int]
"""`hash`, `id`, or a replacement for one of them."""

_SEEDED = (str, bytes, datetime.date, datetime.time)
"""Types whose hash depends on ``PYTHONHASHSEED``."""

_ALIGNMENT = 4
"""Shift of addresses: objects begin at multiples of sixteen."""


class IdentityWatch:
    """Counts how often the application's own code asks for a hash or an address.

    `interpreter` selects the results: 0 for this interpreter, any other number for another one.
    """

    def __init__(self, interpreter: int = 0) -> None:
        self._interpreter = interpreter
        self.asked = 0

    @contextmanager
    def answering(self, modules: Iterable[ModuleType]) -> Iterator[None]:
        """Replace and count both functions in `modules` inside the block."""

        def counted(ask: Ask) -> Ask:
            def answer(value: object, /) -> int:
                self.asked += 1
                return ask(value)

            return answer

        number = self._interpreter
        asks: dict[str, Ask] = {"hash": hash, "id": id}
        if number:
            asks = {"hash": partial(_hash_of, number), "id": partial(_id_of, number)}
        with _given({name: counted(ask) for name, ask in asks.items()}, modules):
            yield


def _hash_of(number: int, value: object) -> int:
    return hash((number, hash(value))) if _differs(value) else hash(value)


def _id_of(number: int, value: object) -> int:
    return id(value) ^ ((hash((number,)) & 0xFFFFFF) << _ALIGNMENT)


def _differs(value: object) -> bool:
    """Say whether the hash of `value` differs in another interpreter."""
    if isinstance(value, tuple | frozenset):
        return any(map(_differs, value))
    return isinstance(value, _SEEDED) or type(value).__hash__ is object.__hash__


@contextmanager
def _given(functions: Mapping[str, Ask], modules: Iterable[ModuleType]) -> Iterator[None]:
    """Let `modules` find `functions` under their names.

    A module that defines a name itself keeps its own function.
    """
    given: list[tuple[dict[str, object], str]] = []
    for module in modules:
        names = vars(module)
        for name in functions.keys() - names.keys():
            names[name] = functions[name]
            given.append((names, name))
    try:
        yield
    finally:
        for names, name in given:
            names.pop(name, None)


class ApplicationModules:
    """Tells which loaded modules are the application's.

    There are some two thousand modules, and each repetition asks.  So the answer is kept until
    other modules are loaded.
    """

    def __init__(self) -> None:
        self._loaded: list[ModuleType] = []
        self._own: tuple[ModuleType, ...] = ()

    def now(self) -> tuple[ModuleType, ...]:
        """Return the loaded modules of the application."""
        loaded = list(sys.modules.values())
        if len(loaded) != len(self._loaded) or not all(map(is_, loaded, self._loaded)):
            self._loaded = loaded
            self._own = tuple(one for one in loaded if _is_of_application(one))
        return self._own


def _is_of_application(module: ModuleType) -> bool:
    return type(module) is ModuleType and isinstance(
        vars(module).get("__loader__"), InstrumentingLoader
    )
