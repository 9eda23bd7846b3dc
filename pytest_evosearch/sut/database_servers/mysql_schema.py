"""Gives a MySQL or MariaDB database its schema back, where a request created, altered or dropped.

The server says of every table, view and trigger which statement makes it.  What is described in
another way than at the snapshot is removed, and what is missing then is made.
"""

from __future__ import annotations

import re

from pytest_evosearch.sut.database_servers.mysql_inventory import quoted
from pytest_evosearch.sut.database_servers.mysql_inventory import text
from pytest_evosearch.sut.database_servers.own_session import OwnSession

MysqlSchema = dict[tuple[str, str], str]
"""Statements that make each object, by kind (``TABLE``, ``VIEW``, ``TRIGGER``) and name."""

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
    """Return what a database consists of now; tables come first, triggers last."""
    names = [(text(kind), text(name)) for kind, name in session.run(_OBJECTS)]
    names += [("TRIGGER", text(name)) for (name,) in session.run(_TRIGGERS)]
    found: MysqlSchema = {}
    for kind, name in names:
        place = 2 if kind == "TRIGGER" else 1  # its second column is the mode of SQL
        shown = session.run(f"SHOW CREATE {kind} {quoted(name)}")[0][place]
        found[kind, name] = _COUNTER.sub("", text(shown), count=1)
    return found


def restore_schema(session: OwnSession, kept: MysqlSchema) -> list[str]:
    """Make the schema what it was; return what differs all the same.

    Tables that are made anew are empty; rows are put back next.
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
