"""Gives functions of the running application other code for a while.

A function that exists gets the code of its counterpart in a changed source.  Code that has no
function yet (a lambda, a comprehension) comes with the function that makes it.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import contextmanager
from types import CodeType
from types import FunctionType
from typing import TypeAlias

Place: TypeAlias = "tuple[str, str, int]"
"""File name, name and first line of a function's code."""


class LiveFunctions:
    """The functions of some files that exist now."""

    def __init__(self, filenames: Iterable[str]) -> None:
        wanted = frozenset(filenames)
        self._functions: dict[Place, list[FunctionType]] = {}
        for one in gc.get_objects():
            if type(one) is FunctionType and one.__code__.co_filename in wanted:
                self._functions.setdefault(_place(one.__code__), []).append(one)

    def changed(self, before: CodeType, after: CodeType) -> Mapping[Place, CodeType]:
        """Return the code that functions get so that `after` runs instead of `before`.

        It is empty where no function runs what differs, or where one cannot run the other code.
        """
        if before == after:
            return {}
        found: dict[Place, CodeType] = {}
        ours, theirs = _nested(before), _nested(after)
        if len(ours) == len(theirs) and _own(before) == _own(after):
            pairs = list(zip(ours, theirs, strict=True))
            inner = [self.changed(*pair) for pair in pairs if pair[0] != pair[1]]
            if all(inner):
                for one in inner:
                    found.update(one)
                return found
        place = _place(before)
        functions = self._functions.get(place, ())
        fits = all(one.__code__.co_freevars == after.co_freevars for one in functions)
        return {place: after} if functions and fits else {}

    @contextmanager
    def running(self, codes: Mapping[Place, CodeType]) -> Iterator[None]:
        """Have functions run other code in this block."""
        replaced = [
            (function, function.__code__)
            for place in codes
            for function in self._functions.get(place, ())
        ]
        try:
            for place, code in codes.items():
                for function in self._functions.get(place, ()):
                    function.__code__ = code
            yield
        finally:
            for function, code in replaced:
                function.__code__ = code


def _place(code: CodeType) -> Place:
    return code.co_filename, code.co_name, code.co_firstlineno


def _nested(code: CodeType) -> Sequence[CodeType]:
    return [one for one in code.co_consts if isinstance(one, CodeType)]


def _own(code: CodeType) -> tuple[object, ...]:
    """Return what a code object does itself, without the code inside it."""
    constants = [repr(one) for one in code.co_consts if not isinstance(one, CodeType)]
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    return code.co_code, tuple(constants), *names
