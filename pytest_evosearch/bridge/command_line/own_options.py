"""Options that only the project's own ``conftest.py`` knows, as the command line gives them.

What they decide (``--backend=memory``) holds for the search.  So verification uses them, and the
command that repeats the search contains them.  Options of installed plugins are left out: they
measure, report or distribute, and verifying runs have their own.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pytest_evosearch.bridge.internals import option_destinations

EARLIER_OPTIONS: pytest.StashKey[frozenset[str]] = pytest.StashKey()
"""Flags that were known before any ``conftest.py`` was loaded."""


def note_earlier_options(early_config: pytest.Config) -> None:
    """Note which options pytest and the installed plugins have."""
    early_config.stash[EARLIER_OPTIONS] = frozenset(option_destinations(early_config))


def own_arguments(config: pytest.Config) -> tuple[str, ...]:
    """Return the words of the command line that are options of a ``conftest.py``, with values."""
    earlier = config.stash.get(EARLIER_OPTIONS, None)
    if earlier is None:
        return ()
    known = option_destinations(config).items()
    own = {flag: destination for flag, destination in known if flag not in earlier}
    return tuple(_chosen(config, own))


def _chosen(config: pytest.Config, own: dict[str, str]) -> Iterator[str]:
    words = iter(map(str, config.invocation_params.args))
    for word in words:
        flag, assigned, _value = word.partition("=")
        if flag == "--":  # after "--" no word is an option
            return
        if flag not in own:
            continue
        yield word
        if not assigned and not isinstance(getattr(config.option, own[flag], None), bool):
            yield next(words, "")
