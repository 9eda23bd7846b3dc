"""Texts of the fixtures that a written conftest.py may need."""

from __future__ import annotations

from pytest_evosearch.sut.shortcuts import mail_servers

HEADER = '''\
"""Fixtures for the tests in this folder, written once by pytest-evosearch.

Edit them as you like: pytest-evosearch never overwrites this file.
"""
'''


NO_MAIL_SERVERS = f"""\
# Addresses are not checked with the servers of their domains.
{mail_servers.UNASKED}
"""


DATABASES = '''\
@pytest.fixture(scope="session")
def databases(tmp_path_factory):
    """Open every SQLite file as a throw-away copy: no test touches the real one."""
    folder = tmp_path_factory.mktemp("databases")
    connect = sqlite3.connect
    copies = {}
    opened = {}
    handed_out = []

    def connect_to_copy(database, *args, **kwargs):
        if str(database) == ":memory:" or str(database).startswith("file:"):
            live = connect(database, *args, **kwargs)
            opened[live] = None
            return live
        original = Path(database).resolve()
        if original not in copies:
            copies[original] = folder / f"{len(copies)}-{original.name}"
            if original.exists():
                shutil.copy(original, copies[original])
            # Another thread than the tests' own may have opened it first.
            live = connect(copies[original], check_same_thread=False)
            stack.enter_context(closing(live))
            opened[live] = original
        handed_out.append(connect(copies[original], *args, **kwargs))
        return handed_out[-1]

    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        patch.setattr(sqlite3, "connect", connect_to_copy)
        patch.setattr(sqlite3.dbapi2, "connect", connect_to_copy)
        yield opened, handed_out
'''


EMPTYING = """\
                with closing(connect(copies[original])) as copy:
                    leave_people_out(copy, original)
"""


EMPTYING_AGAIN = """\
            leave_people_out(live, original)
"""


WITHHELD = """\
# People are in the rows of these tables: tests add rows of their own.
WITHOUT_ROWS = {{
{tables}
}}


def leave_people_out(connection, original):
    \"\"\"Delete the rows of people from the copy of a database.\"\"\"
    for table in WITHOUT_ROWS.get(original.name, ()) if original.exists() else ():
        connection.execute(f'DELETE FROM "{{table}}"')
    connection.commit()


"""


OWN_CONNECTIONS = '''\
    class CopyConnection(Connection):
        """What the application derives its own class of connections from."""

        def __init__(self, database, *args, **kwargs):
            name = str(database)
            is_file = name != ":memory:" and not name.startswith("file:")
            if is_file and database not in copies.values():
                connect_to_copy(database).close()
                database = copies[Path(database).resolve()]
                handed_out.append(self)
            super().__init__(database, *args, **kwargs)

'''


OWN_PATCHES = """\
        patch.setattr(sqlite3, "Connection", CopyConnection)
        patch.setattr(sqlite3.dbapi2, "Connection", CopyConnection)
"""


RESTORED_DATABASES = '''\
@pytest.fixture(autouse=True)
def restored_databases(flask_app, databases):
    """Undo what a test writes to a database."""
    opened, handed_out = databases
    known = list(opened)
    with ExitStack() as stack:
        # A connection in memory may be closed by now, or by the test.
        stack.enter_context(suppress(sqlite3.ProgrammingError))
        for live in known:
            saved = stack.enter_context(closing(sqlite3.Connection(":memory:")))
            with suppress(sqlite3.ProgrammingError):
                live.commit()  # a copy waits for a transaction that is open
                live.backup(saved)
                stack.callback(saved.backup, live)
                stack.callback(live.rollback)
        yield
        while handed_out:  # a transaction that a crash left open would lock the file
            with suppress(sqlite3.ProgrammingError):
                handed_out.pop().rollback()
    for live, original in list(opened.items())[len(known) :]:
        if original is not None:  # opened for the first time by this test
            source = original if original.exists() else ":memory:"
            with closing(sqlite3.Connection(source)) as first:
                first.backup(live)
'''


ISOLATED_CLIENT = '''\
@pytest.fixture
def client(flask_app):
    """A test client whose requests each get a context of their own, as on a server."""

    class Client(flask_app.test_client_class or FlaskClient):
        def open(self, *args, **kwargs):
            return contextvars.Context().run(super().open, *args, **kwargs)

    return Client(flask_app, flask_app.response_class)
'''


CLIENT = '''\
@pytest.fixture
def client(flask_app):
    """A test client of the application."""
    return flask_app.test_client()
'''


ASGI_IMPORT = "from a2wsgi import ASGIMiddleware"


CONNEXION_FRONT = """\
    application = served.app
    # All of Connexion's layers, as on a server.
    application.wsgi_app = ASGIMiddleware(served)
"""


DISPATCHER_FRONT = """\
    # What is mounted beside the application answers its client, too.
    application.wsgi_app = type(served)(application.wsgi_app, served.mounts)
"""
