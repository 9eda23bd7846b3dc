"""Chooses names of variables, fixtures, constants and files: the first candidate that is free."""

from __future__ import annotations

import keyword
from collections.abc import Container
from collections.abc import Iterable
from itertools import chain
from itertools import count


def is_identifier(name: str) -> bool:
    """Say whether `name` can be a Python variable."""
    return name.isidentifier() and not keyword.iskeyword(name)


def first_free(candidates: Iterable[str], taken: Container[str]) -> str:
    """Return the first possible candidate that is not in `taken`, otherwise number the first.

    The best candidate comes first. Where none is possible, they are taken as they are.
    """
    names = list(candidates)
    possible = [name for name in names if is_identifier(name)] or names
    free = (name for name in possible if name not in taken)
    numbered = (f"{possible[0]}_{number}" for number in count(2))
    return next(name for name in chain(free, numbered) if name not in taken)
