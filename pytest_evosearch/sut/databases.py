"""Finds servers of databases in an application's configuration: nothing to search against."""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Mapping
from typing import Any

from pytest_evosearch.errors import EvosearchUsageError

_SERVER = re.compile(
    r"^(?P<dialect>postgres(?:ql)?|mysql|mariadb|mssql|oracle|cockroachdb|mongodb|db2)"
    r"(?:\+[\w]+)?://(?:[^@/]*@)?(?P<place>[^?\s]*)",
    re.IGNORECASE,
)
_FOR_TESTS = re.compile(r"(?:^|[^a-z])test", re.IGNORECASE)


def refuse_server_databases(app: Any, *, allow: bool) -> None:
    """Raise `EvosearchUsageError` when `app` is configured for a server that is not for tests.

    A database whose name begins a word with "test" is one for tests.
    """
    if allow:
        return
    for key, url in _texts(app.config):
        match = _SERVER.match(url)
        if match is None or _FOR_TESTS.search(match["place"].rpartition("/")[2]):
            continue
        raise EvosearchUsageError(
            f"config[{key!r}] names a {match['dialect'].lower()} database ({match['place']}), "
            "which a search would change: configure one for tests, or allow it with "
            "--evosearch-allow-db"
        )


def _texts(config: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for key, value in config.items():
        if isinstance(value, str):
            yield str(key), value
        elif isinstance(value, Mapping):
            for inner, text in value.items():
                if isinstance(text, str):
                    yield f"{key}.{inner}", text
        elif type(value).__module__.startswith("sqlalchemy."):
            yield str(key), str(value)
