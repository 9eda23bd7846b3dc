"""Finds reads that only show a common effect of many requests: a message of the application.

Examples are ``Please log in to access this page.`` after each protected page, or ``This page's
address has changed`` after each old address. One test of the message is enough. Others read better
without the read, and fit into a table.
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_evosearch.harvest.aftermath import texts_of
from pytest_evosearch.problem.http.exchanges.refusals import turns_away
from pytest_evosearch.write.content.specimen import FollowUp
from pytest_evosearch.write.content.specimen import Specimen

HABIT = 3
"""Fewest endpoints followed by only this message for it to count as a habit."""


def habitual(specimens: Sequence[Specimen]) -> list[int]:
    """Return the indexes of the tests whose read only shows a habit that an earlier test shows.

    A refused request had no effect: for a message about a log-in, even the first test loses its
    read.
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
    """Return the texts that only appear after the act; none when other texts disappear."""
    response = follow_up.exchange.response
    if response is None or response.is_json:
        return frozenset()
    after, before = texts_of(response.text), texts_of(follow_up.before)
    return frozenset() if before - after else after - before
