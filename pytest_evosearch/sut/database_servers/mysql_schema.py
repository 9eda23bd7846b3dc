"""Restores the schema of a MySQL or MariaDB database after requests have changed it.

The server returns, for every table, view and trigger, the statement that creates it. Objects whose
statement differs from the snapshot are removed, and missing objects are created.
"""

from __future__ import annotations

import re

from pytest_evosearch.sut.database_servers.mysql_inventory import quoted
from pytest_evosearch.sut.database_servers.mysql_inventory import text
from pytest_evosearch.sut.database_servers.own_session import OwnSession

MysqlSchema = dict[tuple[str, str], str]
"""Creating statement of each object, by kind (``TABLE``, ``VIEW``, ``TRIGGER``) and name."""

_OBJECTS = """
SELECT CASE table_type WHEN 'VIEW' THEN 'VIEW' ELSE 'TABLE' END, table_name
FROM information_schema.tables
WHERE table_schema = database() AND table_type IN ('BASE TABLE', 'VIEW') ORDER BY 1, 2
"""

_TRIGGERS = """
SELECT trigger_name FROM information_schema.triggers WHERE trigger_schema = database() ORDER BY 1
"""

_COUNTER = re.compile(r" AUTO_INCREMENT=\d+")


def describe_schema(session: OwnSession) -> MysqlSchema:
    """Return the present objects of a database; tables come first, triggers last."""
    names = [(text(kind), text(name)) for kind, name in session.run(_OBJECTS)]
    names += [("TRIGGER", text(name)) for (name,) in session.run(_TRIGGERS)]
    found: MysqlSchema = {}
    for kind, name in names:
        place = 2 if kind == "TRIGGER" else 1  # its second column is the mode of SQL
        shown = session.run(f"SHOW CREATE {kind} {quoted(name)}")[0][place]
        found[kind, name] = _COUNTER.sub("", text(shown), count=1)
    return found


def restore_schema(session: OwnSession, kept: MysqlSchema) -> list[str]:
    """Restore the schema; return what still differs.

    Recreated tables are empty; rows are restored next.
    """
    for key, made in reversed(describe_schema(session).items()):
        if kept.get(key) != made:
            session.run(f"DROP {key[0]} IF EXISTS {quoted(key[1])}")
    now = describe_schema(session)
    for key, made in kept.items():
        if key not in now:
            session.run(made)
    now = describe_schema(session)
    return [f"{kind} {name}" for kind, name in kept if now.get((kind, name)) != kept[kind, name]]
