"""Spells names of headers like the application: ``X-CSRFToken``, not ``X-Csrftoken``.

Case only matters to a reader who looks for the name in the application's source. The search uses
one spelling of its own for each header.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace

from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import ValuePath
from pytest_evosearch.write.content.specimen import Specimen


def with_spelled_headers(specimens: Sequence[Specimen]) -> list[Specimen]:
    """Return the specimens with each header in the spelling that handlers use most."""
    spellings = _spellings(specimens)
    return [
        replace(specimen, exchanges=tuple(_respelled(one, spellings) for one in specimen.exchanges))
        for specimen in specimens
    ]


def _spellings(specimens: Sequence[Specimen]) -> dict[str, str]:
    """Return lower-case name -> spelling of each header that handlers read."""
    counts: dict[str, Counter[str]] = {}
    for specimen in specimens:
        for exchange in specimen.exchanges:
            for read in exchange.reads:
                name = str(read.path[0]) if read.path else ""
                if read.location == Location.HEADER.value and _has_both_cases(name):
                    counts.setdefault(name.lower(), Counter())[name] += 1
    return {
        lower: min(names, key=lambda name: (-names[name], name)) for lower, names in counts.items()
    }


def _has_both_cases(name: str) -> bool:
    """Say whether a person chose the spelling of a name: ``HTTP_ETAG`` is no choice."""
    return name not in (name.lower(), name.upper())


def _respelled(exchange: Exchange, spellings: Mapping[str, str]) -> Exchange:
    request = exchange.request
    headers = tuple((spellings.get(name.lower(), name), value) for name, value in request.headers)
    if headers == request.headers:
        return exchange
    origins = {_place(place, spellings): origin for place, origin in request.origins.items()}
    return replace(exchange, request=replace(request, headers=headers, origins=origins))


def _place(place: ValuePath, spellings: Mapping[str, str]) -> ValuePath:
    if place[0] != Location.HEADER.value:
        return place
    return (place[0], *(spellings.get(str(name).lower(), name) for name in place[1:]))
