"""Texts of fixtures that undo writes of a test to databases on a server."""

from __future__ import annotations

_ROLLED_BACK = """\
    for connection in handed_out:
        # A crash may leave a transaction open; one that is closed has none.
        with suppress(Exception):
            connection.rollback()
"""

RESTORED_IN_POSTGRESQL = f'''\
@pytest.fixture(autouse=True)
def restored_rows(flask_app, database_server):
    """Undo what a test writes to a database."""
    databases, handed_out = database_server
    kept = []
    for database in databases.values():
        tables = run(
            database,
            "SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) FROM pg_tables"
            " WHERE schemaname !~ '^(pg_|information_schema$)'",
        )
        for number, (table,) in enumerate(tables):
            run(database, f"CREATE TEMP TABLE kept_{{number}} AS TABLE {{table}}")
        sequences = run(
            database,
            "SELECT quote_ident(schemaname) || '.' || quote_ident(sequencename),"
            " coalesce(last_value, start_value), last_value IS NOT NULL FROM pg_sequences",
        )
        kept.append((database, tables, sequences))

    yield

{_ROLLED_BACK}\
    for database, tables, sequences in kept:
        for number, (table,) in enumerate(tables):
            run(database, f"DELETE FROM {{table}}")
            run(database, f"INSERT INTO {{table}} OVERRIDING SYSTEM VALUE TABLE kept_{{number}}")
            run(database, f"DROP TABLE kept_{{number}}")
        for name, value, used in sequences:
            run(database, f"SELECT setval('{{name}}', {{value}}, {{used}})")
'''

RESTORED_IN_MYSQL = f'''\
@pytest.fixture(autouse=True)
def restored_rows(flask_app, database_server):
    """Undo what a test writes to a database."""
    databases, handed_out = database_server
    kept = []
    for database in databases.values():
        run(database, "SET foreign_key_checks = 0, sql_mode = 'NO_AUTO_VALUE_ON_ZERO'")
        # Those with triggers come first: these write to other tables.
        tables = run(
            database,
            "SELECT t.table_name, coalesce(t.auto_increment, 0),"
            " group_concat(concat('`', c.column_name, '`'))"
            " FROM information_schema.tables t JOIN information_schema.columns c"
            " ON c.table_schema = t.table_schema AND c.table_name = t.table_name"
            " WHERE t.table_schema = database() AND t.table_type = 'BASE TABLE'"
            " AND coalesce(c.generation_expression, '') = ''"
            " GROUP BY t.table_name, t.auto_increment ORDER BY t.table_name NOT IN"
            " (SELECT event_object_table FROM information_schema.triggers), t.table_name",
        )
        for number, (table, _, columns) in enumerate(tables):
            kept_rows = f"SELECT {{columns}} FROM `{{table}}`"
            run(database, f"CREATE TEMPORARY TABLE kept_{{number}} {{kept_rows}}")
        kept.append((database, tables))

    yield

{_ROLLED_BACK}\
    for database, tables in kept:
        for number, (table, counter, columns) in enumerate(tables):
            kept_rows = f"SELECT {{columns}} FROM kept_{{number}}"
            run(database, f"DELETE FROM `{{table}}`")
            run(database, f"INSERT INTO `{{table}}` ({{columns}}) {{kept_rows}}")
            run(database, f"DROP TEMPORARY TABLE kept_{{number}}")
            if counter:
                run(database, f"ALTER TABLE `{{table}}` AUTO_INCREMENT = {{counter}}")
'''
