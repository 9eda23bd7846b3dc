"""Finds misspelt hooks; by default pluggy ignores unknown hooks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from pytest_evosearch.core.registry import suggestion

HOOK_PREFIX = "pytest_evosearch_"


def check_hook_names(manager: pytest.PytestPluginManager) -> None:
    """Raise `pytest.UsageError` naming the first hook that no plugin has specified."""
    for name, place in _unknown_hooks(manager):
        known = [hook for hook in _known_hooks(manager) if hook.startswith("pytest_")]
        raise pytest.UsageError(
            f"evosearch: unknown hook {name!r} in {place}{suggestion(name, known)}; rename it, or "
            "mark it with @pytest.hookimpl(optionalhook=True) if it belongs to another plugin"
        )


def _known_hooks(manager: pytest.PytestPluginManager) -> list[str]:
    return [name for name, caller in sorted(vars(manager.hook).items()) if _is_specified(caller)]


def _is_specified(caller: Any) -> bool:
    return _is_hook(caller) and bool(caller.has_spec())


def _is_hook(caller: object) -> bool:
    # By what it can do: older releases of pluggy do not export the class.
    return hasattr(caller, "has_spec") and hasattr(caller, "get_hookimpls")


def _unknown_hooks(manager: pytest.PytestPluginManager) -> Iterator[tuple[str, str]]:
    """Yield hooks without a specification, as pluggy's `check_pending` would refuse them.

    An unknown hook with this plugin's prefix is refused even if it is optional.  That mark is for
    runs without this plugin.
    """
    for name, caller in sorted(vars(manager.hook).items()):
        if _is_specified(caller) or not _is_hook(caller):
            continue
        for implementation in caller.get_hookimpls():
            if name.startswith(HOOK_PREFIX) or not implementation.optionalhook:
                yield name, _place_of(implementation)


def _place_of(implementation: object) -> str:
    function = getattr(implementation, "function", None)
    code = getattr(function, "__code__", None)
    if code is None:
        return str(getattr(implementation, "plugin_name", "a plugin"))
    return f"{code.co_filename}:{code.co_firstlineno}"
