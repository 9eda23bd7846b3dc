"""Puts our own functions in the place of those of libraries, and reads what these have signed."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence
from contextlib import suppress
from types import ModuleType
from typing import Any

from pytest_evosearch.sut.patches import Patches
from pytest_evosearch.sut.patches import Replacement
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
    patches: Patches,
    methods: Sequence[MethodChange],
    functions: Sequence[FunctionChange],
    module: ModuleType,
) -> None:
    """Replace methods and functions of a module; skip those that this version lacks."""
    for kind, method, wrap in methods:
        owner = getattr(module, kind, None)
        if isinstance(owner, type):
            patches.wrap(owner, method, wrap)
    for function, wrap in functions:
        if hasattr(module, function):
            stand_in = wrap(getattr(module, function))
            patches.everywhere(Replacement((module,), function, stand_in))
