"""Options of ours that the parser of options would refuse, told in one line instead.

What the parser itself refuses comes with the usage of pytest, and with where the configuration
lies: five lines, the last of which say nothing about what is wrong.
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
"""How each of our flags begins."""


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
    """Take options that begin like ours and do not exist out of `args`, and return them.

    Call when each ``conftest.py`` has had its say.  They are refused by `refuse_unknown_options`
    later: before pytest 8 an exception in the hook in which this is called makes pluggy warn.
    """
    if not any(word.startswith(PREFIX) for word in args):
        return []
    _known, others = parser.parse_known_and_unknown_args(args)
    unknown = [word for word in others if word.startswith(PREFIX)]
    args[:] = [word for word in args if word not in unknown]
    return unknown


def refuse_unknown_options(unknown: Iterable[str]) -> None:
    """Raise `pytest.UsageError` for the first of `unknown`, with the nearest option."""
    from pytest_evosearch.core.registry import suggestion

    for word in unknown:
        flag = word.partition("=")[0]
        likely = suggestion(flag, [option.flag for option in OPTIONS])
        raise pytest.UsageError(
            f"evosearch: there is no option {flag}{likely} (pytest --help lists all)"
        )


def _all_words(config: pytest.Config) -> list[object]:
    """Return what the parser is going to read: the environment, the ini file, the command line."""
    from_variable = shlex.split(os.environ.get("PYTEST_ADDOPTS", ""))
    return [*from_variable, *_words_of_ini_file(config), *config.invocation_params.args]


def _words_of_ini_file(config: pytest.Config) -> list[Any]:
    """Return ``addopts``; nothing while the file is not read, as for a plugin named by ``-p``."""
    try:
        return list(config.getini("addopts"))
    except AttributeError:
        return []
