"""Values that people would pass to a parameter: what is shown for it, and what is nearly that.

Code that takes an ISBN says nothing of note about ``"hello world"``.  A person who tests it takes
an ISBN, and one with a digit too few, with a wrong last digit, or with a letter in its middle.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from collections.abc import Sequence
from typing import Any

from pytest_evosearch.genes.example import Usual
from pytest_evosearch.problem.units.hinted_genes import hints_of
from pytest_evosearch.standins.error_messages import type_named

MOST_SHOWN = 4
"""Most values of one parameter of which nearly equal ones are tried."""

SHORTEST_VARIED = 3
"""Fewest characters of a text that nearly equal ones are made of."""

SEPARATORS = ("-", "_", ", ", " ", "/", "")
"""What people pass where a default is punctuation."""

_DESCRIBED = (
    r":param\s+(?:[\w.\[\]]+\s+)?{name}:(.*)",
    r"(?m)^\s+{name}\s*(?:\([^)]*\))?\s*:(.*)",
    r"(?m)^\s*{name}\s+:(.*)",
)
"""How Sphinx, Google and NumPy docstrings begin the description of a parameter."""

_DOCUMENTED = (
    r":type\s+{name}:\s*([\w.\[\], |]+)",
    r":param\s+([\w.\[\]]+)\s+{name}:",
    r"(?m)^\s+{name}\s*\(([\w.\[\], |]+)\)\s*:",
    r"(?m)^\s*{name}\s+:\s+([\w.\[\], |]+)",
)
"""How Sphinx, Google and NumPy docstrings write the type of a parameter."""

_QUOTED = re.compile(r"""(?<!\w)(["'])([^"'\n]{1,30})\1(?!\w)""")
"""A text between quotation marks."""


def described_texts(function: Any, name: str) -> list[str]:
    """Return the texts in quotation marks with which a docstring describes a parameter.

    One that has a hint or a default of another type has none.
    """
    text = getattr(function, "__doc__", None) or ""
    hint, default = hints_of(function).get(name, str), default_of(function, name)
    if "str" not in str(hint) or not isinstance(default, (str, type(None))):
        return []
    for pattern in _DESCRIBED if name in text else ():
        found = re.search(pattern.format(name=re.escape(name)), text)
        if found is not None:
            return [one[2] for one in _QUOTED.finditer(_paragraph(text, found.start(1)))]
    return []


def documented_types(function: Any, name: str) -> Iterator[str]:
    """Yield the names of types that a docstring gives to a parameter, as Python calls them."""
    text = getattr(function, "__doc__", None) or ""
    for pattern in _DOCUMENTED if name in text else ():
        found = re.search(pattern.format(name=re.escape(name)), text)
        first = re.split(r",| or |\|", found[1])[0].strip() if found is not None else ""
        yield type_named(first.partition("[")[0])


def _paragraph(text: str, start: int) -> str:
    """Return the rest of a line, and the lines after it that are further to the right."""
    line = text[text.rfind("\n", 0, start) + 1 :]
    first, *others = line.split("\n")
    indent = len(first) - len(first.lstrip())
    kept = [text[start:].split("\n")[0]]
    for one in others:
        if one.strip() and len(one) - len(one.lstrip()) <= indent:
            break
        kept.append(one)
    return "\n".join(kept)


def usual_of(shown: Sequence[object], beside: Sequence[object], default: object) -> Usual:
    """Return what people would pass where these values are shown, or one is the default.

    Those `beside` are shown for a parameter of the same name.
    """
    values = [*shown]
    for one in [*shown, *beside][:MOST_SHOWN]:
        values += _nearly(one) if isinstance(one, str) else ()
    values += beside
    is_special = isinstance(default, str) and bool(default)
    if is_special and not values:
        values += _beside_default(str(default))
    return Usual(tuple({repr(one): one for one in values}.values()), not is_special)


def default_of(function: Any, name: str) -> object:
    """Return the default of a parameter; None for no default."""
    try:
        found = inspect.signature(function).parameters[name].default
    except (ValueError, TypeError, KeyError):
        return None
    return None if found is inspect.Parameter.empty else found


def _nearly(text: str) -> Iterator[str]:
    """Yield texts with one mistake, or spelled in another way."""
    if len(text) < SHORTEST_VARIED:
        return
    middle = len(text) // 2
    bare = re.sub(r"\W", "", text)
    yield text[:-1] + _other(text[-1])
    yield text[:-1]
    yield text + text[-1]
    yield f"{text[:middle]}x{text[middle + 1 :]}"
    yield _other(text[0]) + text[1:]
    yield from (one for one in (bare, text.lower(), text.upper()) if one and one != text)
    yield f" {text} "


def _other(character: str) -> str:
    """Return another character of the same kind."""
    if character.isdigit() and character.isascii():
        return str((int(character) + 1) % 10)
    return "y" if character == "x" else "x"


def _beside_default(default: str) -> Iterator[str]:
    """Yield what people pass instead of a default: another separator, a longer template."""
    if not any(one.isalnum() for one in default):
        yield from (one for one in SEPARATORS if one != default)
    elif "%" in default or "{" in default:
        yield f"<{default}>"
