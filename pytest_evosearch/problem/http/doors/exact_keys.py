"""Texts that are nearly a key tell whether a key has led behind a door.

A crash may lie in the code that checks who comes in: a check that converts a key before it compares
the key fails with many keys (``int(key[2:])``).  Behind the door one gets with the very key alone,
so another character in it is refused, and the crash is gone.
"""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Iterator
from dataclasses import replace

from pytest_evosearch.genes.base import replaced
from pytest_evosearch.genes.visit import leaves
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import Individual

_FOLLOWING = str.maketrans(
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "1234567890bcdefghijklmnopqrstuvwxyzaBCDEFGHIJKLMNOPQRSTUVWXYZA",
)


def with_other_characters(
    individual: Individual, keys: Collection[tuple[Location, str]]
) -> Iterator[Individual]:
    """Yield the test with another character, or one more, in one of the texts that `keys` hold.

    It is of the same kind: code that expects a number or a word still gets one.
    """
    last = len(individual.calls) - 1
    call = individual.calls[last]
    for given in call.inputs:
        for _value_path, gene_path, leaf in leaves(given.gene) if given.key in keys else ():
            for text in _altered(str(leaf.value())):
                adopted = leaf.adopt(text)
                if adopted is not None:
                    changed = replace(given, gene=replaced(given.gene, gene_path, adopted))
                    yield individual.with_call(last, call.with_input(changed))


def crashes_alike(one: Exchange, other: Exchange) -> bool:
    """Say whether two calls failed at the same place, with an exception of the same type."""
    return _place(one) is not None and _place(one) == _place(other)


def _place(exchange: Exchange) -> tuple[str, str] | None:
    crash = exchange.crash
    return None if crash is None else (crash.position, crash.type_name)


def _altered(text: str) -> Iterator[str]:
    """Yield the text with a character more, then with its last one, a middle and the first changed.

    Only letters and digits are changed: other characters mostly separate parts.
    """
    places = [index for index, one in enumerate(text) if one.isascii() and one.isalnum()]
    if not places:
        return
    yield text + text[places[-1]]
    for index in dict.fromkeys((places[-1], places[len(places) // 2], places[0])):
        yield text[:index] + text[index].translate(_FOLLOWING) + text[index + 1 :]
