"""What the application's exceptions say, read so that reading it cannot fail.

An exception may say anything in any way: its ``__str__`` raises, gives something else than text, or
a text that no file can hold; its attributes are properties that raise.  Code that reports an
exception of the application reads it here.
"""

from __future__ import annotations

from typing import Any

from pytest_evosearch.errors import CutOff
from pytest_evosearch.errors import StopAtOnce

_name_of_class = vars(type)["__name__"].__get__
_qualified_name_of_class = vars(type)["__qualname__"].__get__
_module_of_class = vars(type)["__module__"].__get__

_OUR_OWN = (CutOff, StopAtOnce)
"""What is raised into the application from outside, and passes through."""


def message_of(error: BaseException) -> str:
    """Return what an exception says; a word about it where it cannot be had."""
    try:
        return writable_text(str(error))
    except _OUR_OWN:
        raise
    except BaseException as broken:
        return f"<message unavailable: {_name_of_class(type(broken))}>"


def told(error: BaseException) -> str:
    """Return the type of an exception and its message in one line."""
    message = " ".join(message_of(error).split())
    name = str(_name_of_class(type(error)))
    return f"{name}: {message}" if message else name


def qualified_name_of(kind: type) -> str:
    """Return the qualified name of a class, whatever its metaclass says."""
    return str(_qualified_name_of_class(kind))


def module_of(kind: type) -> str:
    """Return the module of a class; empty where it has none that is text."""
    module = read_of(kind, _module_of_class)
    return writable_text(module) if isinstance(module, str) else ""


def read_of(value: Any, read: Any, otherwise: Any = None) -> Any:
    """Return what `read` finds of an object of the application; `otherwise` where it fails."""
    try:
        return read(value)
    except _OUR_OWN:
        raise
    except BaseException:
        return otherwise


def attribute_of(value: Any, name: str, otherwise: Any = None) -> Any:
    """Return an attribute of an object of the application; `otherwise` where reading it fails."""
    return read_of(value, lambda each: getattr(each, name), otherwise)


def writable_text(text: str) -> str:
    """Return `text` as a plain string that every file can hold."""
    plain = str.__str__(text)
    return plain if plain.isascii() else plain.encode("utf-8", "backslashreplace").decode("utf-8")
