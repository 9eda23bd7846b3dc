"""Puts our own functions in the place of those of libraries, and reads what these have signed."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence
from contextlib import ExitStack
from contextlib import suppress
from types import ModuleType
from typing import Any

from pytest_evosearch.sut.watching.library_checks import Replacement
from pytest_evosearch.sut.watching.library_checks import replace_everywhere
from pytest_evosearch.sut.watching.token_claims import literal_of
from pytest_evosearch.sut.watching.token_claims import text_of
from pytest_evosearch.sut.watching.token_signers import KEY

Check = Callable[..., Any]

FunctionChange = tuple[str, Callable[[Check], Check]]

MethodChange = tuple[str, str, Callable[[Check], Check]]


def payload_of(serializer: Any, token: str) -> Any:
    """Return the payload of a token without a check of its signature; a word when there is none."""
    with suppress(Exception):
        _is_signed, payload = serializer.loads_unsafe(token)
        if payload is not None:
            return payload
    return token if token.isalnum() else "a"


def serializing_code(serializer: Any, payload: object, salt: object) -> str:
    """Return the code that makes a token of itsdangerous with the key of the application."""
    own = salt or serializer.salt
    shown = "" if own in (b"itsdangerous", "itsdangerous") else f", salt={literal_of(text_of(own))}"
    return f"{type(serializer).__name__}({KEY}{shown}).dumps({literal_of(payload)})"


def change_library(
    stack: ExitStack,
    methods: Sequence[MethodChange],
    functions: Sequence[FunctionChange],
    module: ModuleType,
) -> None:
    """Replace methods and functions of a module; skip those that this version lacks."""
    for kind, method, wrap in methods:
        owner = getattr(module, kind, None)
        if isinstance(owner, type):
            replace_method(stack, owner, method, wrap)
    for function, wrap in functions:
        if hasattr(module, function):
            stand_in = wrap(getattr(module, function))
            replace_everywhere(stack, Replacement((module,), function, stand_in))


def replace_method(
    stack: ExitStack, owner: type, name: str, wrap: Callable[[Check], Check]
) -> None:
    """Replace a method of a class until the end of `stack`, where it is there."""
    original = owner.__dict__.get(name)
    if original is not None:
        setattr(owner, name, wrap(original))
        stack.callback(setattr, owner, name, original)
