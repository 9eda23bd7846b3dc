"""Which values in database rows are worth sending, for any kind of database."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping

from pytest_evosearch.core.english import singular
from pytest_evosearch.core.vocabulary import IDENTIFIER
from pytest_evosearch.core.vocabulary import Certainty

LONGEST_VALUE = 200
"""Most characters of a text or bytes that are useful as an input."""


def values_of_rows(
    rows: Iterable[tuple[str, Mapping[str, object]]],
) -> Iterator[tuple[str, object]]:
    """Yield (column, value) for `rows` of tables; keys also under their table's name."""
    for table, row in rows:
        for column, value in row.items():
            if _is_useful(value):
                yield column, value
                if column.lower() in IDENTIFIER.words(Certainty.POSSIBLE):
                    yield f"{singular(table.lower())}_{column}", value


def _is_useful(value: object) -> bool:
    if isinstance(value, str):
        return 0 < len(value) <= LONGEST_VALUE
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def quoted(name: str) -> str:
    """Return the name of a table or column as standard SQL takes it, whatever it contains."""
    return '"' + name.replace('"', '""') + '"'
