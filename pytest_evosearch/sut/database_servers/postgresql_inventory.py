"""Asks PostgreSQL which tables and sequences there are, and says how each is read and filled."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace
from graphlib import CycleError
from graphlib import TopologicalSorter

from pytest_evosearch.sut.database_servers.own_session import OwnSession

KEPT_SCHEMA = "evosearch_kept"
"""Where the copy of the search lies; nothing of the application is called so."""
FOUND_SCHEMA = "evosearch_found"
"""Where the copy from before the project's fixtures lies."""

NOT_OURS = "n.nspname !~ '^(pg_|information_schema$|evosearch_)'"
"""Neither a schema of the server's own nor of ours."""

_OF_THE_PROJECT = f"""{NOT_OURS}
  AND c.relpersistence <> 't'
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass
                  AND d.objid = c.oid AND d.deptype = 'e')"""
"""Neither the server's own, nor an extension's, nor temporary."""

_TABLES = f"""
SELECT c.oid::bigint, quote_ident(n.nspname) || '.' || quote_ident(c.relname),
  (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) FROM pg_attribute a
   WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''),
  (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum)
   FROM pg_index i JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (i.indkey)
   WHERE i.indrelid = c.oid AND i.indisprimary),
  EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal),
  (SELECT string_agg(CASE WHEN a.atttypid < 16384 THEN quote_ident(a.attname) ELSE
     quote_ident(a.attname) || '::text AS ' || quote_ident(a.attname) END, ', ' ORDER BY a.attnum)
   FROM pg_attribute a
   WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''),
  (SELECT string_agg(CASE WHEN a.atttypid < 16384 THEN quote_ident(a.attname) ELSE
     quote_ident(a.attname) || '::' || format_type(a.atttypid, a.atttypmod) END,
     ', ' ORDER BY a.attnum) FROM pg_attribute a
   WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '')
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'r' AND {_OF_THE_PROJECT} AND has_table_privilege(c.oid, 'SELECT')
  AND has_table_privilege(c.oid, 'INSERT') AND has_table_privilege(c.oid, 'DELETE') ORDER BY 2
"""

_SEQUENCES = f"""
SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE CASE c.relkind WHEN 'S' THEN has_sequence_privilege(c.oid, 'SELECT')
  AND has_sequence_privilege(c.oid, 'UPDATE') END AND {_OF_THE_PROJECT} ORDER BY 1
"""

_REFERENCES = """
SELECT DISTINCT conrelid::bigint, confrelid::bigint FROM pg_constraint
WHERE contype = 'f' AND conrelid <> confrelid
"""

_CATALOGS = ("pg_class", "pg_attrdef", "pg_constraint", "pg_trigger", "pg_proc", "pg_type")
_WRITERS = "coalesce(sum(xmin::text::bigint), 0)::bigint + count(*)"

SHAPE = (
    "("
    + " + ".join(
        [
            *(f"(SELECT {_WRITERS} FROM {one} WHERE oid >= 16384)" for one in _CATALOGS),
            f"(SELECT {_WRITERS} FROM pg_attribute WHERE attrelid >= 16384)",
            f"(SELECT {_WRITERS} FROM pg_enum)",
        ]
    )
    + ")"
)
"""A number that tells whether anything came, went or was altered, temporary tables included."""


@dataclass(frozen=True)
class Table:
    """One table of the project."""

    number: int
    """By which it is referred to from other tables."""
    name: str
    """Quoted, with its schema."""
    columns: str
    """What can be inserted into it, quoted; empty for a table of generated columns alone."""
    key: str
    """The columns of its primary key; empty without one."""
    has_triggers: bool = False
    copied: str = ""
    """What is selected of `columns` into a copy; types of the project become texts, since it may
    want to remove them."""
    pasted: str = ""
    """What is selected from the copy."""

    def is_like(self, other: Table | None) -> bool:
        """Say whether the rows of one fit into the other, which may have been made anew."""
        return other is not None and replace(other, number=self.number) == self


@dataclass(frozen=True)
class Inventory:
    """What a database has: tables so that each comes after those that it refers to."""

    tables: tuple[Table, ...]
    sequences: tuple[str, ...]
    references: frozenset[tuple[int, int]] = frozenset()
    """Numbers of tables: the first refers to the second."""

    def referring(self, tables: Iterable[Table]) -> list[Table]:
        """Return `tables` and all tables that refer to them, in order."""
        found = {table.number for table in tables}
        while True:
            more = {one for one, other in self.references if other in found} - found
            if not more:
                return [table for table in self.tables if table.number in found]
            found |= more


def take_inventory(session: OwnSession) -> Inventory:
    """Return what the database has now."""
    tables = [
        Table(
            int(number), name, columns or "", key or "", bool(triggers), copied or "", pasted or ""
        )
        for number, name, columns, key, triggers, copied, pasted in session.run(_TABLES)
    ]
    known = {table.number for table in tables}
    references = frozenset(
        (int(one), int(other))
        for one, other in session.run(_REFERENCES)
        if int(one) in known and int(other) in known
    )
    sequences = tuple(str(name) for (name,) in session.run(_SEQUENCES))
    return Inventory(_parents_first(tables, references), sequences, references)


def _parents_first(
    tables: Sequence[Table], references: Iterable[tuple[int, int]]
) -> tuple[Table, ...]:
    """Return tables so that each comes after those that it refers to; circles stay as they are."""
    by_number = {table.number: table for table in tables}
    needs: dict[int, list[int]] = {number: [] for number in by_number}
    for one, other in sorted(references):
        needs[one].append(other)
    try:
        return tuple(by_number[number] for number in TopologicalSorter(needs).static_order())
    except CycleError:
        return tuple(tables)


GLANCE_PLACE = 2_000_000_000
"""The place of the row that says what a glance saw."""


def looking_function(inventory: Inventory) -> str:
    """Return the statement that makes the function with which the database is looked at.

    It returns nothing where a glance sees the two numbers that it is given.  A server keeps the
    plan of a function, and no driver throws it away, as some do with statements that are prepared.
    """
    return (
        f"CREATE OR REPLACE FUNCTION {KEPT_SCHEMA}.look(known bigint, counted bigint) "
        "RETURNS TABLE (place int, first bigint, second bigint, third bigint) "
        "LANGUAGE plpgsql AS $evosearch$ DECLARE seen record; BEGIN "
        f"SELECT * INTO seen FROM ({GLANCE}) AS g (writer, counts); "
        "IF seen.writer = known AND seen.counts = counted THEN RETURN; END IF; "
        f"RETURN QUERY SELECT {GLANCE_PLACE}, seen.writer, seen.counts, 0::bigint "
        f"UNION ALL {_look(inventory)}; END $evosearch$"
    )


def look_call(known: int, counted: int) -> str:
    """Return the query that looks, unless a glance sees these numbers."""
    return f"SELECT * FROM {KEPT_SCHEMA}.look({known}, {counted})"


def _look(inventory: Inventory) -> str:
    """Return a query that tells all tables and sequences apart that were written.

    First comes a row of the shape.
    """
    places = [*range(1, len(inventory.tables) + 1), *range(-len(inventory.sequences), 0)]
    return " UNION ALL ".join(
        [f"SELECT 0, {SHAPE}, 0::bigint, 0::bigint", *_rows(inventory, places)]
    )


def look_again(inventory: Inventory, places: Iterable[int]) -> str:
    """Return a query for some of the rows of a look, and for a glance."""
    glance = f"SELECT {GLANCE_PLACE}, g.*, 0::bigint FROM ({GLANCE}) AS g"
    return " UNION ALL ".join([glance, *_rows(inventory, places)])


def _rows(inventory: Inventory, places: Iterable[int]) -> Iterator[str]:
    """Yield queries for one row each: tables have positive places, sequences negative ones.

    Of a table: how many rows it has, and the sum and the greatest of the transactions that wrote
    them.  Of a sequence: its value, and whether it was used.
    """
    writers = "xmin::text::bigint"
    for place in places:
        if place < 0:
            name = inventory.sequences[-place - 1]
            yield f"SELECT {place}, last_value, is_called::int::bigint, 0::bigint FROM {name}"
        else:
            yield (
                f"SELECT {place}, count(*), coalesce(sum({writers}), 0)::bigint, "
                f"coalesce(max({writers}), 0) FROM ONLY {inventory.tables[place - 1].name}"
            )


GLANCE = """
SELECT txid_snapshot_xmax(txid_current_snapshot()),
  (SELECT coalesce(sum(pg_sequence_last_value(seqrelid)), 0)::bigint FROM pg_sequence
   WHERE has_sequence_privilege(seqrelid, 'SELECT'))
"""
"""Two numbers that stay the same while nothing writes, on the whole server."""
