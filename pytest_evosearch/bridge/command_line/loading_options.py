"""Options of pytest that decide how a test is loaded, as the command line gives them.

These are another configuration file, overridden keys, plugins, filters of warnings and the way of
importing.  They hold for the search.  So verification uses them, and the command that repeats the
search contains them.  Other options of pytest (which tests run, how they are reported, in how many
processes) belong to one run.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import pytest

NOT_FOR_VERIFICATION = {"-p": ("no:cacheprovider",), "-o": ("cache_dir=",)}
"""Beginnings of values that contradict the options of each verifying run."""


def loading_arguments(config: pytest.Config) -> tuple[str, ...]:
    """Return the options of the command line as they were given."""
    return tuple(word for pair in _given(config) for word in pair)


def verification_arguments(config: pytest.Config) -> tuple[str, ...]:
    """Return these options for a verifying run, which starts in the root folder."""
    words: list[str] = []
    for flag, value in _given(config):
        if value.startswith(NOT_FOR_VERIFICATION.get(flag, ())):
            continue
        words += [flag, str(config.inipath) if flag == "-c" else value]
    return tuple(words)


def loaded_plugins(config: pytest.Config) -> frozenset[str]:
    """Return the modules of the plugins that this session has loaded, as runs like it will do.

    A file of settings, a variable or the command line may block installed ones.
    """
    plugins = config.pluginmanager.get_plugins()
    return frozenset(str(getattr(plugin, "__name__", "")) for plugin in plugins)


def _given(config: pytest.Config) -> Iterator[tuple[str, str]]:
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("-c", "--config-file", dest="-c", action="append")
    parser.add_argument("-o", "--override-ini", dest="-o", action="append")
    parser.add_argument("-p", dest="-p", action="append")
    parser.add_argument("-W", "--pythonwarnings", dest="-W", action="append")
    parser.add_argument("--import-mode", dest="--import-mode", action="append")
    given, _ = parser.parse_known_args([str(word) for word in config.invocation_params.args])
    for flag, values in vars(given).items():
        for value in values or ():
            yield flag, value
