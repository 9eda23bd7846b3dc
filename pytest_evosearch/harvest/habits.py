"""Finds reads that only show what many requests bring about: a message of the application's.

``Please log in to access this page.`` after each page that strangers may not see, ``This page's
address has changed`` after each old address: one test that asserts it is enough, the others read
better without, and fit into a table.
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_evosearch.harvest.aftermath import texts_of
from pytest_evosearch.problem.http.exchanges.refusals import turns_away
from pytest_evosearch.write.content.specimen import FollowUp
from pytest_evosearch.write.content.specimen import Specimen

HABIT = 3
"""Endpoints after which the same is shown, and nothing else, from which it is a habit."""


def habitual(specimens: Sequence[Specimen]) -> list[int]:
    """Return the places of the tests whose read shows a habit that an earlier test shows.

    Who is asked to log in has done nothing: there not even the first one keeps its read.
    """
    endpoints: dict[frozenset[str], dict[str, None]] = {}
    shown = [None if one.follow_up is None else _appeared(one.follow_up) for one in specimens]
    for specimen, texts in zip(specimens, shown, strict=True):
        if texts:
            endpoints.setdefault(texts, {})[specimen.act.request.endpoint] = None
    return [
        place
        for place, (specimen, texts) in enumerate(zip(specimens, shown, strict=True))
        if texts
        and len(endpoints[texts]) >= HABIT
        and (
            turns_away(specimen.act)
            or specimen.act.request.endpoint != next(iter(endpoints[texts]))
        )
    ]


def _appeared(follow_up: FollowUp) -> frozenset[str]:
    """Return the texts that a read has only after the act; none where others are gone."""
    response = follow_up.exchange.response
    if response is None or response.is_json:
        return frozenset()
    after, before = texts_of(response.text), texts_of(follow_up.before)
    return frozenset() if before - after else after - before
