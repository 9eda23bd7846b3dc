"""Writes fixtures that restore lasting content of mongomock and fakeredis."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_evosearch.core.quick_dataclasses import dataclass

_DOCUMENTS = '''
@pytest.fixture(autouse=True)
def restored_documents{number}({fixtures}):
    """Restore MongoDB after each test, because several tests share it."""
{opening}
    mongo = {expression}

    def collections():
        return [
            mongo[database][name]
            for database in mongo.list_database_names()
            for name in mongo[database].list_collection_names()
        ]

    kept = [(one, list(one.find())) for one in collections()]

    yield

    for one in collections():
        one.delete_many({{}})
    for one, documents in kept:
        if documents:
            one.insert_many(documents)
'''

_KEYS = '''
@pytest.fixture(autouse=True)
def restored_keys{number}({fixtures}):
    """Restore Redis after each test, because several tests share it."""
{opening}
    redis = {expression}
    kept = {{key: (redis.dump(key), max(redis.pttl(key), 0)) for key in redis.keys()}}

    yield

    redis.flushall()
    for key, (value, left) in kept.items():
        redis.restore(key, left, value)
'''

_TEXTS = {"mongomock": _DOCUMENTS, "fakeredis": _KEYS}


@dataclass(frozen=True)
class PlayedStore:
    """A replacement for a server of documents or keys, and how a fixture reaches it."""

    package: str
    """Name of the replacing package."""
    expression: str
    """Expression for its client; it can use ``app``."""
    imports: tuple[str, ...] = ()
    """Import lines for the expression."""


def played_store_fixtures(
    stores: Sequence[PlayedStore], client: str, fixtures: Sequence[str]
) -> str:
    """Return the source of fixtures that restore `stores` after each test.

    `client` is the fixture of the test client. `fixtures` are those to set up before.
    """
    sources = []
    for number, store in enumerate(stores, start=1):
        opening = [f"    {line}" if line else "" for line in store.imports]
        if store.expression.startswith("app."):
            opening.append(f"    app = {client}.application")
        source = _TEXTS[store.package].format(
            number=f"_{number}" if number > 1 else "",
            fixtures=", ".join(fixtures),
            opening="\n".join(opening),
            expression=store.expression,
        )
        sources.append(source.replace('"""\n\n    mongo', '"""\n    mongo'))
    return "\n".join(sources)
