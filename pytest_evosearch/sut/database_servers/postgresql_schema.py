"""Restores the schema of a PostgreSQL database after requests have changed it.

Every object is described by a statement that creates it and one that removes it. Objects that
differ from the snapshot are removed, and missing objects are created. So `drop_all`, `create_all`,
a new column or an index leave nothing behind. Other modules restore rows.
"""

from __future__ import annotations

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.database_servers.own_session import OwnSession
from pytest_evosearch.sut.database_servers.postgresql_inventory import NOT_OURS

_COLUMN = """quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod)
  || CASE WHEN a.attcollation NOT IN (0, t.typcollation)
     THEN (SELECT ' COLLATE ' || quote_ident(n.nspname) || '.' || quote_ident(l.collname)
           FROM pg_collation l JOIN pg_namespace n ON n.oid = l.collnamespace
           WHERE l.oid = a.attcollation) ELSE '' END
  || CASE WHEN a.attidentity <> '' THEN ' GENERATED '
       || CASE a.attidentity WHEN 'a' THEN 'ALWAYS' ELSE 'BY DEFAULT' END
       || ' AS IDENTITY (SEQUENCE NAME '
       || pg_get_serial_sequence({table}, a.attname) || ')'
     WHEN a.attgenerated <> '' THEN ' GENERATED ALWAYS AS ('
       || pg_get_expr(d.adbin, d.adrelid) || ') STORED'
     WHEN d.adbin IS NOT NULL THEN ' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid) ELSE '' END
  || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END"""

_NAMED = "quote_ident(n.nspname) || '.' || quote_ident(c.relname)"

_SOURCES = (
    (
        "schema",
        (
            "SELECT quote_ident(n.nspname), 'CREATE SCHEMA ' || quote_ident(n.nspname),"
            " 'DROP SCHEMA IF EXISTS ' || quote_ident(n.nspname) || ' CASCADE'"
            f" FROM pg_namespace n WHERE {NOT_OURS}"
        ),
    ),
    (
        "enumeration",
        (
            "SELECT format_type(t.oid, NULL), 'CREATE TYPE ' || quote_ident(n.nspname) || '.'"
            " || quote_ident(t.typname) || ' AS ENUM (' ||"
            " (SELECT string_agg(quote_literal(e.enumlabel), ', ' ORDER BY e.enumsortorder)"
            " FROM pg_enum e WHERE e.enumtypid = t.oid) || ')',"
            " 'DROP TYPE IF EXISTS ' || format_type(t.oid, NULL) || ' CASCADE'"
            " FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace"
            f" WHERE t.typtype = 'e' AND {NOT_OURS}"
        ),
    ),
    (
        "sequence",
        (
            f"SELECT {_NAMED}, 'CREATE SEQUENCE ' || {_NAMED} || ' AS '"
            " || format_type(s.seqtypid, NULL) || ' INCREMENT ' || s.seqincrement || ' MINVALUE '"
            " || s.seqmin || ' MAXVALUE ' || s.seqmax || ' START ' || s.seqstart || ' CACHE '"
            " || s.seqcache || CASE WHEN s.seqcycle THEN ' CYCLE' ELSE '' END,"
            f" 'DROP SEQUENCE IF EXISTS ' || {_NAMED} || ' CASCADE'"
            " FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
            f" JOIN pg_sequence s ON s.seqrelid = c.oid WHERE {NOT_OURS}"
            " AND c.relpersistence <> 't' AND NOT EXISTS (SELECT FROM pg_depend d"
            " WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid"
            " AND d.deptype IN ('i', 'e'))"
        ),
    ),
    (
        "function",
        (
            "SELECT p.oid::regprocedure::text, pg_get_functiondef(p.oid),"
            " 'DROP ROUTINE IF EXISTS ' || p.oid::regprocedure || ' CASCADE'"
            " FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace"
            f" WHERE p.prokind IN ('f', 'p') AND {NOT_OURS} AND NOT EXISTS (SELECT FROM pg_depend d"
            " WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')"
        ),
    ),
    (
        "table",
        (
            f"SELECT {_NAMED}, 'CREATE ' || CASE c.relpersistence WHEN 'u' THEN 'UNLOGGED ' ELSE ''"
            f" END || 'TABLE ' || {_NAMED} || ' (' || coalesce((SELECT string_agg("
            f"{_COLUMN.format(table=_NAMED)}, ', ' ORDER BY a.attnum) FROM pg_attribute a"
            " JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid"
            " AND d.adnum = a.attnum WHERE a.attrelid = c.oid AND a.attnum > 0"
            f" AND NOT a.attisdropped), '') || ')',"
            f" 'DROP TABLE IF EXISTS ' || {_NAMED} || ' CASCADE'"
            " FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'r'"
            f" AND {NOT_OURS} AND c.relpersistence <> 't' AND NOT c.relispartition"
            " AND NOT EXISTS (SELECT FROM pg_inherits i WHERE c.oid IN (i.inhrelid, i.inhparent))"
            " AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass"
            " AND d.objid = c.oid AND d.deptype = 'e')"
        ),
    ),
    (
        "owner",
        (
            f"SELECT {_NAMED}, 'ALTER SEQUENCE ' || {_NAMED} || ' OWNED BY '"
            f" || d.refobjid::regclass || '.' || quote_ident(a.attname),"
            f" 'ALTER SEQUENCE IF EXISTS ' || {_NAMED}"
            " || ' OWNED BY NONE' FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
            " JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = c.oid"
            " AND d.deptype = 'a' JOIN pg_attribute a ON a.attrelid = d.refobjid"
            f" AND a.attnum = d.refobjsubid WHERE c.relkind = 'S' AND {NOT_OURS}"
            " AND c.relpersistence <> 't'"
        ),
    ),
    *(
        (
            kind,
            (
                f"SELECT {_NAMED} || ' ' || quote_ident(k.conname), 'ALTER TABLE ONLY ' || {_NAMED}"
                " || ' ADD CONSTRAINT ' || quote_ident(k.conname) || ' '"
                f" || pg_get_constraintdef(k.oid), 'ALTER TABLE IF EXISTS ' || {_NAMED}"
                " || ' DROP CONSTRAINT IF EXISTS ' || quote_ident(k.conname) || ' CASCADE'"
                " FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid"
                " JOIN pg_namespace n ON n.oid = c.relnamespace"
                f" WHERE k.contype IN ({types}) AND {NOT_OURS} AND k.conislocal"
                " AND c.relpersistence <> 't' AND c.relkind = 'r'"
            ),
        )
        for kind, types in (("constraint", "'p', 'u', 'c', 'x'"), ("foreign key", "'f'"))
    ),
    (
        "index",
        (
            f"SELECT {_NAMED}, pg_get_indexdef(c.oid), 'DROP INDEX IF EXISTS ' || {_NAMED}"
            " FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
            f" WHERE c.relkind = 'i' AND {NOT_OURS} AND c.relpersistence <> 't' AND NOT EXISTS"
            " (SELECT FROM pg_constraint k WHERE k.conindid = c.oid AND k.contype <> 'f')"
        ),
    ),
    (
        "view",
        (
            f"SELECT {_NAMED}, 'CREATE '"
            " || CASE c.relkind WHEN 'm' THEN 'MATERIALIZED ' ELSE '' END"
            f" || 'VIEW ' || {_NAMED} || ' AS ' || rtrim(pg_get_viewdef(c.oid), ';'),"
            " 'DROP ' || CASE c.relkind WHEN 'm' THEN 'MATERIALIZED ' ELSE '' END"
            f" || 'VIEW IF EXISTS ' || {_NAMED} || ' CASCADE'"
            " FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
            f" WHERE c.relkind IN ('v', 'm') AND {NOT_OURS} AND c.relpersistence <> 't'"
            " AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass"
            " AND d.objid = c.oid AND d.deptype = 'e') ORDER BY c.oid"
        ),
    ),
    (
        "trigger",
        (
            f"SELECT {_NAMED} || ' ' || quote_ident(g.tgname), pg_get_triggerdef(g.oid),"
            f" 'DROP TRIGGER IF EXISTS ' || quote_ident(g.tgname) || ' ON ' || {_NAMED}"
            " FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid"
            " JOIN pg_namespace n ON n.oid = c.relnamespace"
            f" WHERE NOT g.tgisinternal AND {NOT_OURS} AND c.relkind = 'r'"
        ),
    ),
)
"""Queries for (name, creating statement, removing statement), by kind of object.

Later kinds need earlier ones.
"""

_FOREIGN_TEMPORARY = """
SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname), c.relkind
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relpersistence = 't' AND c.relkind IN ('r', 'S') ORDER BY c.relkind
"""


@dataclass(frozen=True)
class Definition:
    """How one object is created and removed."""

    make: str
    remove: str


Schema = dict[tuple[str, str], Definition]
"""All objects by kind and name; each comes after those that it needs."""


def describe_schema(session: OwnSession) -> Schema:
    """Return the present objects of a database."""
    # With an empty search path, all names are written in full.
    session.run("SET search_path = ''")
    found: Schema = {}
    try:
        for kind, query in _SOURCES:
            for name, make, remove in session.run(query):
                found[kind, str(name)] = Definition(str(make), str(remove))
    finally:
        session.run("RESET search_path")
    return found


def restore_schema(session: OwnSession, kept: Schema) -> list[str]:
    """Restore the schema; return what still differs.

    Tables may be empty afterwards: rows are restored next.
    """
    _drop_temporary_tables(session)
    now = describe_schema(session)
    for key in reversed(list(now)):
        if kept.get(key) != now[key]:
            session.run(now[key].remove)
    now = describe_schema(session)
    missing = [key for key in kept if key not in now]
    session.run("SET check_function_bodies = off")
    is_empty = False
    for key in missing:
        if key[0] in _CHECKING and not is_empty:
            # Rows of requests may violate it, and rows of recreated tables are missing.
            _empty_tables(session, kept)
            is_empty = True
        session.run(kept[key].make)
    now = describe_schema(session)
    return [f"{kind} {name}" for kind, name in kept if now.get((kind, name)) != kept[kind, name]]


_CHECKING = ("constraint", "foreign key", "index")
"""Kinds of objects whose creation checks existing rows."""


def _empty_tables(session: OwnSession, kept: Schema) -> None:
    names = ", ".join(name for kind, name in kept if kind == "table")
    if names:
        session.run(f"TRUNCATE {names} CASCADE")


def _drop_temporary_tables(session: OwnSession) -> None:
    """Drop temporary tables of the application's sessions, which a pool would keep."""
    for name, kind in session.run(_FOREIGN_TEMPORARY):
        what = "SEQUENCE" if kind == "S" else "TABLE"
        session.run(f"DROP {what} IF EXISTS {name} CASCADE")
