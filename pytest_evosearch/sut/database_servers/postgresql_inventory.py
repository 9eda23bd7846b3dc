"""Lists the tables and sequences of PostgreSQL, with the statements to read and fill each."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import replace
from graphlib import CycleError
from graphlib import TopologicalSorter

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.database_servers.own_session import OwnSession

KEPT_SCHEMA = "evosearch_kept"
"""Schema with the copy of the search; no schema of the application has this name."""
FOUND_SCHEMA = "evosearch_found"
"""Schema with the copy from before the project's fixtures."""

NOT_OURS = "n.nspname !~ '^(pg_|information_schema$|evosearch_)'"
"""Excludes schemas of the server and of this plugin."""

_OF_THE_PROJECT = f"""{NOT_OURS}
  AND c.relpersistence <> 't'
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass
                  AND d.objid = c.oid AND d.deptype = 'e')"""
"""Excludes objects of the server and of extensions, and temporary ones."""

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
"""Query for a number that changes when an object comes, goes or is altered.

Temporary tables count, too.
"""


@dataclass(frozen=True)
class Table:
    """One table of the project."""

    number: int
    """Number by which other tables refer to it."""
    name: str
    """Quoted name with its schema."""
    columns: str
    """Quoted columns that accept inserted values; empty when all are generated."""
    key: str
    """The columns of the primary key; empty without one."""
    has_triggers: bool = False
    copied: str = ""
    """Expressions that copy `columns`.

    Types of the project become texts, because the project may remove its types.
    """
    pasted: str = ""
    """Expressions that read the columns from the copy."""

    def is_like(self, other: Table | None) -> bool:
        """Say whether rows of one table fit into the other, which may have been recreated."""
        return other is not None and replace(other, number=self.number) == self


@dataclass(frozen=True)
class Inventory:
    """The tables of a database, each after those that it refers to."""

    tables: tuple[Table, ...]
    sequences: tuple[str, ...]
    references: frozenset[tuple[int, int]] = frozenset()
    """Pairs of table numbers: the first refers to the second."""

    def referring(self, tables: Iterable[Table]) -> list[Table]:
        """Return `tables` and all tables that refer to them, in order."""
        found = {table.number for table in tables}
        while True:
            more = {one for one, other in self.references if other in found} - found
            if not more:
                return [table for table in self.tables if table.number in found]
            found |= more


def take_inventory(session: OwnSession) -> Inventory:
    """Return the present content of the database."""
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
    """Return tables, each after those that it refers to; cycles stay in their order."""
    by_number = {table.number: table for table in tables}
    needs: dict[int, list[int]] = {number: [] for number in by_number}
    for one, other in sorted(references):
        needs[one].append(other)
    try:
        return tuple(by_number[number] for number in TopologicalSorter(needs).static_order())
    except CycleError:
        return tuple(tables)


GLANCE_PLACE = 2_000_000_000
"""Position of the row with the result of a glance."""


def looking_function(inventory: Inventory) -> str:
    """Return the statement that creates the function for looks at the database.

    The function returns no rows where a glance gives the two numbers in its arguments. A server
    keeps the plan of a function, while some drivers discard prepared statements.
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
    """Return the query for a look, which is empty when a glance gives these numbers."""
    return f"SELECT * FROM {KEPT_SCHEMA}.look({known}, {counted})"


def _look(inventory: Inventory) -> str:
    """Return a query whose rows change when a table or a sequence was written.

    The first row describes the schema.
    """
    places = [*range(1, len(inventory.tables) + 1), *range(-len(inventory.sequences), 0)]
    return " UNION ALL ".join(
        [f"SELECT 0, {SHAPE}, 0::bigint, 0::bigint", *_rows(inventory, places)]
    )


def look_again(inventory: Inventory, places: Iterable[int]) -> str:
    """Return a query for some rows of a look, and for a glance."""
    glance = f"SELECT {GLANCE_PLACE}, g.*, 0::bigint FROM ({GLANCE}) AS g"
    return " UNION ALL ".join([glance, *_rows(inventory, places)])


def _rows(inventory: Inventory, places: Iterable[int]) -> Iterator[str]:
    """Yield queries for one row each: tables have positive places, sequences negative ones.

    The row of a table has its number of rows, and the sum and maximum of the transactions that
    wrote them. The row of a sequence has its value, and whether it was used.
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
"""Query for two numbers that stay constant while nothing writes on the whole server."""
