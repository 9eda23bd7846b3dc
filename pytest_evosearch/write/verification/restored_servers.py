"""Writes the fixture that restores a database on a server after every test.

Rows are kept in temporary tables of one connection, so column types do not change.
"""

from __future__ import annotations

IMPORTS = ("from contextlib import closing",)

_BEGINNING = '''
@pytest.fixture(autouse=True)
def restored_database({fixtures}):
    """Restore the database after each test, because several tests share it."""
    app = {client}.application
    with app.app_context():
        database = {database}
        engine, models = database.engine, database.metadata.sorted_tables
    tables = [engine.dialect.identifier_preparer.format_table(table) for table in models]
    with closing(engine.raw_connection()) as connection:
        cursor = connection.cursor()
'''

_POSTGRESQL = """\
        for number, table in enumerate(tables):
            cursor.execute(f"CREATE TEMP TABLE kept_{{number}} AS TABLE {{table}}")
        cursor.execute(
            "SELECT quote_ident(schemaname) || '.' || quote_ident(sequencename),"
            " coalesce(last_value, start_value), last_value IS NOT NULL FROM pg_sequences"
        )
        sequences = cursor.fetchall()
        connection.commit()

        yield

        cursor.execute("SET LOCAL lock_timeout = '5s'")
        for table in reversed(tables):
            cursor.execute(f"DELETE FROM {{table}}")
        for number, table in enumerate(tables):
            cursor.execute(
                f"INSERT INTO {{table}} OVERRIDING SYSTEM VALUE TABLE kept_{{number}}"
            )
            cursor.execute(f"DROP TABLE kept_{{number}}")
        for name, value, used in sequences:
            cursor.execute(f"SELECT setval('{{name}}', {{value}}, {{used}})")
        connection.commit()
"""

_MYSQL = """\
        counters = {{}}
        for number, table in enumerate(tables):
            cursor.execute(f"CREATE TEMPORARY TABLE kept_{{number}} AS SELECT * FROM {{table}}")
            cursor.execute(
                "SELECT auto_increment FROM information_schema.tables WHERE table_schema ="
                f" database() AND table_name = '{{models[number].name}}'"
            )
            counters[table] = cursor.fetchone()[0]
        connection.commit()

        yield

        cursor.execute("SET foreign_key_checks = 0")
        for number, table in enumerate(tables):
            cursor.execute(f"DELETE FROM {{table}}")
            cursor.execute(f"INSERT INTO {{table}} SELECT * FROM kept_{{number}}")
            cursor.execute(f"DROP TEMPORARY TABLE kept_{{number}}")
        cursor.execute("SET foreign_key_checks = 1")
        connection.commit()
        for table, counter in counters.items():
            if counter is not None:
                cursor.execute(f"ALTER TABLE {{table}} AUTO_INCREMENT = {{counter}}")
"""

FIXTURES = {
    "postgresql": _BEGINNING + _POSTGRESQL,
    "mysql": _BEGINNING + _MYSQL,
    "mariadb": _BEGINNING + _MYSQL,
}
"""SQLAlchemy's name for a dialect -> its fixture."""
