"""Writes imports of modules that no import statement can name: a folder may be called ``my-shop``.

Code is put together with plain statements (``from my-shop.models import Book``), wherever it is
made. The last step before it is written or executed makes them importable.
"""

from __future__ import annotations

import os
import re
from itertools import groupby
from keyword import iskeyword
from pathlib import Path

_FROM = re.compile(r"(?P<indent> *)from (?P<module>[^\s.]\S*) import (?P<names>[^(#]+?)(?: *#.*)?")
_FUNCTION = "from importlib import import_module"


def is_spelled(module: str) -> bool:
    """Say whether an import statement can name a module."""
    return all(part.isidentifier() and not iskeyword(part) for part in module.split("."))


def importable(code: str) -> str:
    """Return code whose statements ``from ... import ...`` Python accepts.

    Statements that it would not accept become calls of ``import_module``, behind the others.
    """
    if not any(map(_is_unspelled, code.splitlines())):
        return code
    lines: list[str] = []
    blocks = groupby(code.splitlines(), key=lambda line: _FROM.fullmatch(line) is not None)
    for is_imports, block in blocks:
        lines += _importable(list(block), _FUNCTION in lines) if is_imports else block
    return "\n".join(lines) + "\n" * code.endswith("\n")


def _is_unspelled(line: str) -> bool:
    found = _FROM.fullmatch(line)
    return found is not None and not is_spelled(found["module"])


def _importable(statements: list[str], is_known: bool) -> list[str]:
    """Return successive statements of one block; `is_known` says whether it can call already."""
    unspelled = [line for line in statements if _is_unspelled(line)]
    if not unspelled:
        return statements
    indent = len(unspelled[0]) - len(unspelled[0].lstrip())
    function = " " * indent + _FUNCTION
    plain = [line for line in statements if line not in (*unspelled, function)]
    first = [] if is_known else [function]
    calls = [line for statement in unspelled for line in _calls(statement)]
    blocks = [block for block in (first, plain, calls) if block]
    return [line for block in blocks for line in ("", *block)][1:]


def _calls(statement: str) -> list[str]:
    """Return an assignment for each name of a statement."""
    found = _FROM.fullmatch(statement)
    assert found is not None
    module = f'import_module("{found["module"]}")'
    names = [name.strip().partition(" as ") for name in found["names"].split(",")]
    return [
        f"{found['indent']}{alias or attribute} = {module}.{attribute}"
        for attribute, _, alias in names
    ]


def place_beside(folder: Path, target: Path) -> str:
    """Return the expression with which a module in `folder` names `target`."""
    relative = Path(os.path.relpath(os.path.realpath(target), os.path.realpath(folder)))
    ups = sum(1 for part in relative.parts if part == "..")
    below = [f' / "{part}"' for part in relative.parts[ups:] if part != "."]
    return f"Path(__file__).resolve().parents[{ups}]{''.join(below)}"
