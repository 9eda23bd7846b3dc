"""Values with which a comparison that a test has seen may turn out the other way."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes.base import replaced
from pytest_evosearch.genes.base import walk
from pytest_evosearch.genes.constructed import built
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.problem.http.filling.operand_goals import wishes
from pytest_evosearch.problem.http.filling.transforms import inverses
from pytest_evosearch.problem.units.plain_texts import matching_text
from pytest_evosearch.problem.units.unit import UnitTest


def answers(test: UnitTest, comparison: Comparison, rng: Random) -> Iterable[UnitTest]:
    """Yield tests whose arguments may turn a comparison around."""
    _target, relation, observed, wanted = comparison
    for place, gene in test.genes():
        for path, leaf in walk(gene):
            given = leaf.value()
            if relation in ("match", "fullmatch", "search"):
                text = matching_text(wanted, relation, rng) if isinstance(wanted, str) else None
                whole = _in_place(given, observed, text)
                adopted = leaf.adopt(whole) if whole is not None else None
                if adopted is not None:
                    yield test.with_gene(place, replaced(gene, path, adopted))
                continue
            for wish in wishes(relation, observed, wanted):
                for value in _sources(given, observed, wish):
                    adopted = leaf.adopt(value)
                    if adopted is not None and adopted != leaf:
                        yield test.with_gene(place, replaced(gene, path, adopted))


def _in_place(given: object, observed: object, text: str | None) -> str | None:
    """Return what was given with a text in the place of what code has matched: a line, or all."""
    if text is None or not isinstance(given, str) or not isinstance(observed, str):
        return None
    is_part = bool(observed) and observed in given
    return text if given == observed else given.replace(observed, text, 1) if is_part else None


def _sources(given: object, observed: object, wish: object) -> Iterable[object]:
    """Yield values to give instead of `given`, from which `observed` came."""
    if isinstance(given, (str, int, float, bytes)) and not isinstance(given, bool):
        yield from (value for _rank, value in inverses(given, observed, wish))
        return
    try:
        is_it = type(observed) is type(real := built(given)) and real == observed
    except Exception:
        return
    if is_it:
        yield wish
