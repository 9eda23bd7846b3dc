"""Chooses the name of a test: its first candidate that fits and is free."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from pytest_evosearch.core.free_names import first_free
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.write.content.endpoint_words import leading_words
from pytest_evosearch.write.content.endpoint_words import resource_of

LONGEST_NAME = 60
"""Most characters of a name, including ``test_``."""

MOST_DROPPED = 2
"""Most words of a subject that are dropped to keep what is special about a test."""

_CONNECTING = {"then", "with", "without", "after", "as", "returns", "redirects", "says"}
"""Words that can follow the subject in a name."""


def choose_name(
    candidates: Iterator[str], taken: AbstractSet[str], most_dropped: int = MOST_DROPPED
) -> str:
    """Return the first name that fits and is free; otherwise number the first that fits."""
    names = list(dict.fromkeys(candidates))
    shorter = [_without_first_words(name, most_dropped) for name in names]
    fitting = [name for name in shorter if len(name) <= LONGEST_NAME]
    free = next((name for name in fitting if name not in taken), None)
    if free is not None:
        return free
    room = LONGEST_NAME - len("_99")
    base = next((name for name in fitting if len(name) <= room), "") or _shortened(names, room)
    return first_free([base], taken)


def words_to_spare(request: Request, templates: Iterable[str]) -> int:
    """Return how many words of a subject are optional: those that describe its location.

    Where the rest is the subject of another one of `templates`, they are not: ``admin_login``
    beside ``login``.
    """
    words = resource_of(request.template).split("_")
    others = {resource_of(one) for one in templates if one != request.template}
    most = min(leading_words(request.template), MOST_DROPPED)
    for spared in range(1, most + 1):
        if "_".join(words[spared:]) in others:
            return spared - 1
    return most


def _without_first_words(name: str, most_dropped: int) -> str:
    """Return `name`, shortened by at most `most_dropped` words after the verb until it fits.

    These words describe a location (``post_api_v1_projects``); the last ones say what is special.
    """
    parts = name.split("_")
    for _ in range(most_dropped):
        if len("_".join(parts)) <= LONGEST_NAME or _CONNECTING & {*parts[2:4]}:
            break
        del parts[2:3]
    return "_".join(parts)


def _shortened(names: Sequence[str], room: int) -> str:
    """Return the shortest of `names`, without first words after the verb until it fits."""
    parts = min(names, key=len).split("_")
    while len("_".join(parts)) > room and len(parts) > 3:
        del parts[2]
    return "_".join(parts)[:room].rstrip("_")
