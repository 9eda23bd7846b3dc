"""Reports misspelt options of this plugin in one line, before the parser of options does.

The parser would print five lines: the usage of pytest, and which configuration was read.  They do
not say what is wrong.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable
from typing import Any

import pytest

from pytest_evosearch.settings.options import OPTIONS
from pytest_evosearch.settings.options import Kind

PREFIX = "--evosearch"
"""Beginning of each flag of this plugin."""


def refuse_values_of_switches(config: pytest.Config) -> None:
    """Raise `pytest.UsageError` for ``--evosearch-plan=3``; call before anything is parsed."""
    switches = {option.flag for option in OPTIONS if option.kind is Kind.SWITCH}
    for word in map(str, _all_words(config)):
        flag, assigned, _value = word.partition("=")
        if assigned and flag in switches:
            raise pytest.UsageError(
                f"evosearch: {word}: the option takes no value; write {flag}, or leave it out"
            )


def take_out_unknown_options(parser: pytest.Parser, args: list[str]) -> list[str]:
    """Remove unknown options that begin with `PREFIX` from `args`, and return them.

    Call when each ``conftest.py`` has added its options.  `refuse_unknown_options` reports them
    later: before pytest 8 an exception in the hook that calls this makes pluggy warn.
    """
    if not any(word.startswith(PREFIX) for word in args):
        return []
    _known, others = parser.parse_known_and_unknown_args(args)
    unknown = [word for word in others if word.startswith(PREFIX)]
    args[:] = [word for word in args if word not in unknown]
    return unknown


def refuse_unknown_options(unknown: Iterable[str]) -> None:
    """Raise `pytest.UsageError` for the first of `unknown`, with the most similar option."""
    from pytest_evosearch.core.registry import suggestion

    for word in unknown:
        flag = word.partition("=")[0]
        likely = suggestion(flag, [option.flag for option in OPTIONS])
        raise pytest.UsageError(
            f"evosearch: there is no option {flag}{likely} (pytest --help lists all)"
        )


def _all_words(config: pytest.Config) -> list[object]:
    """Return the words that the parser will read: environment, ini file and command line."""
    from_variable = shlex.split(os.environ.get("PYTEST_ADDOPTS", ""))
    return [*from_variable, *_words_of_ini_file(config), *config.invocation_params.args]


def _words_of_ini_file(config: pytest.Config) -> list[Any]:
    """Return ``addopts``; nothing before the file is read, as for a plugin after ``-p``."""
    try:
        return list(config.getini("addopts"))
    except AttributeError:
        return []
