"""What the application's exceptions say, read in a way that cannot fail.

An exception may misbehave when it is read.  Its ``__str__`` may raise, or return something that is
not text, or text that no file can hold.  Its attributes may be properties that raise.  Code that
reports an exception of the application reads it here.
"""

from __future__ import annotations

import re
from typing import Any

from pytest_evosearch.errors import CutOff
from pytest_evosearch.errors import StopAtOnce

NO_OBJECT = re.compile(
    "'(str|int)' object (?:has no attribute '(?:get|items|keys|pop|values)'|is not subscriptable)"
    "|string indices must be integers"
)
"""What Python says of a text or a number that is used like an object."""

_name_of_class = vars(type)["__name__"].__get__
_qualified_name_of_class = vars(type)["__qualname__"].__get__
_module_of_class = vars(type)["__module__"].__get__

_OUR_OWN = (CutOff, StopAtOnce)
"""Exceptions that this plugin raises in the application; they always pass through."""


def message_of(error: BaseException) -> str:
    """Return the message of an exception, or why it cannot be read."""
    try:
        return writable_text(str(error))
    except _OUR_OWN:
        raise
    except BaseException as broken:
        return f"<message unavailable: {_name_of_class(type(broken))}>"


def text_of_exception(error: BaseException) -> str:
    """Return the type and the message of an exception in one line."""
    message = " ".join(message_of(error).split())
    name = str(_name_of_class(type(error)))
    return f"{name}: {message}" if message else name


def qualified_name_of(kind: type) -> str:
    """Return the qualified name of a class, whatever its metaclass says."""
    return str(_qualified_name_of_class(kind))


def module_of(kind: type) -> str:
    """Return the name of the module of a class; empty where it is not text."""
    module = read_of(kind, _module_of_class)
    return writable_text(module) if isinstance(module, str) else ""


def read_of(value: Any, read: Any, otherwise: Any = None) -> Any:
    """Return what `read` returns for an object of the application; `otherwise` where it raises."""
    try:
        return read(value)
    except _OUR_OWN:
        raise
    except BaseException:
        return otherwise


def attribute_of(value: Any, name: str, otherwise: Any = None) -> Any:
    """Return an attribute of an object of the application; `otherwise` where reading it raises."""
    return read_of(value, lambda each: getattr(each, name), otherwise)


def writable_text(text: str) -> str:
    """Return `text` as a plain string that every file can hold."""
    plain = str.__str__(text)
    return plain if plain.isascii() else plain.encode("utf-8", "backslashreplace").decode("utf-8")
