"""Texts that redirect connections of drivers to the throw-away server of the written tests.

Each has a function ``connections_to``, which yields the requested databases and the opened
connections, and a function ``run`` for statements of the fixtures.
"""

from __future__ import annotations

RUN = '''\
def run(database, statement):
    """Run a statement, and return its rows."""
    cursor = database.cursor()
    cursor.execute(statement)
    return cursor.fetchall() if cursor.description else []


'''

LED_BY_PSYCOPG2 = '''\
def connections_to(server):
    """Redirect every connection to the throw-away server, to a database of the same name."""
    real = psycopg2.connect
    databases = {}
    handed_out = weakref.WeakSet()

    def connect(dsn=None, **kwargs):
        of_python = ("connection_factory", "cursor_factory")
        options = {name: kwargs.pop(name) for name in of_python if name in kwargs}
        place = make_dsn(dsn, **kwargs)
        name = parse_dsn(place).get("dbname", "postgres")
        if name not in databases:
            first = real(**server, dbname="postgres")
            first.autocommit = True
            if name != "postgres":
                run(first, f'CREATE DATABASE "{name}"')
            first.close()
            databases[name] = real(**server, dbname=name)
            databases[name].autocommit = True
            run(databases[name], "SET session_replication_role = replica")
        connection = real(make_dsn(place, **server), **options)
        handed_out.add(connection)
        return connection

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(psycopg2, "connect", connect)
        yield databases, handed_out
'''

LED_BY_PSYCOPG = '''\
def connections_to(server):
    """Redirect every connection to the throw-away server, to a database of the same name."""
    real = psycopg.connect
    real_soon = psycopg.AsyncConnection.connect
    databases = {}
    handed_out = weakref.WeakSet()

    def led(conninfo, kwargs):
        of_python = ("autocommit", "row_factory", "cursor_factory", "context", "prepare_threshold")
        options = {name: kwargs.pop(name) for name in of_python if name in kwargs}
        place = make_conninfo(conninfo, **kwargs)
        name = conninfo_to_dict(place).get("dbname", "postgres")
        if name not in databases:
            with real(**server, dbname="postgres", autocommit=True) as first:
                if name != "postgres":
                    run(first, f'CREATE DATABASE "{name}"')
            databases[name] = real(**server, dbname=name, autocommit=True)
            run(databases[name], "SET session_replication_role = replica")
        return make_conninfo(place, **server), options

    def connect(conninfo="", **kwargs):
        address, options = led(conninfo, kwargs)
        connection = real(address, **options)
        handed_out.add(connection)
        return connection

    async def connect_soon(conninfo="", **kwargs):
        address, options = led(conninfo, kwargs)
        return await real_soon(address, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(psycopg, "connect", connect)
        patch.setattr(psycopg.Connection, "connect", connect)
        patch.setattr(psycopg.AsyncConnection, "connect", connect_soon)
        yield databases, handed_out
'''

LED_BY_ASYNCPG = '''\
def run(database, statement):
    """Run a statement, and return its rows."""
    loop, connection = database
    return loop.run_until_complete(connection.fetch(statement))


def connections_to(server):
    """Redirect every connection to the throw-away server, to a database of the same name."""
    real = asyncpg.connect_utils._connect
    databases = {}

    def session(name):
        loop = asyncio.new_event_loop()
        return loop, loop.run_until_complete(asyncpg.connect(**server, database=name))

    def close(database):
        loop, connection = database
        loop.run_until_complete(connection.close())
        loop.close()

    def new_database(name):
        if name != "postgres":
            first = session("postgres")
            run(first, f'CREATE DATABASE "{name}"')
            close(first)
        databases[name] = session(name)
        run(databases[name], "SET session_replication_role = replica")

    async def connect(**kwargs):
        if kwargs["host"] == server["host"]:  # one of the fixtures themselves
            return await real(**kwargs)
        path = urlsplit(kwargs["dsn"] or "").path.lstrip("/")
        name = kwargs["database"] or unquote(path) or "postgres"
        if name not in databases:
            with ThreadPoolExecutor(1) as thread:  # an event loop runs in this one
                thread.submit(new_database, name).result()
        led = {"dsn": None, "ssl": False, "database": name, **server}
        return await real(**{**kwargs, **led})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncpg.connect_utils, "_connect", connect)
        yield databases, ()
    for database in databases.values():
        close(database)
'''

LED_BY_PG8000 = '''\
def run(database, statement):
    """Run a statement, and return its rows."""
    return database.execute_simple(statement).rows or []


def connections_to(server):
    """Redirect every connection to the throw-away server, to a database of the same name."""
    real = CoreConnection.__init__
    path = f"{server['host']}/.s.PGSQL.{server['port']}"
    databases = {}
    handed_out = weakref.WeakSet()

    def session(name):
        own = CoreConnection.__new__(CoreConnection)
        real(own, server["user"], database=name, unix_sock=path)
        return own

    def connect(self, *args, **kwargs):
        given = {**dict(zip(("user", "host", "database"), args, strict=False)), **kwargs}
        name = given.get("database") or given["user"]
        if name not in databases:
            if name != "postgres":
                first = session("postgres")
                run(first, f'CREATE DATABASE "{name}"')
                first.close()
            databases[name] = session(name)
            run(databases[name], "SET session_replication_role = replica")
        real(self, server["user"], database=name, unix_sock=path)
        handed_out.add(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CoreConnection, "__init__", connect)
        yield databases, handed_out
'''

LED_BY_METHOD = '''\
def connections_to(server):
    """Redirect every connection to the throw-away server, to a database of the same name."""
    real = {kind}.{method}
    databases = {{}}
    handed_out = weakref.WeakSet()

    def session(kind, name):
        own = {own}
        place = {{**server, "database": name{quick}}}
        real(own, **place, autocommit=True)
        return own

    def connect(self, *args, **kwargs):
        if not args and not kwargs:
            return real(self)
        of_the_place = ("host", "user", "password", "database", "port")
        given = {{**dict(zip(of_the_place, args, strict=False)), **kwargs}}
        name = given.get("database") or given.get("db") or "tests"
        if name not in databases:
            run(session(type(self), "mysql"), f"CREATE DATABASE IF NOT EXISTS `{{name}}`")
            databases[name] = session(type(self), name)
        others = (*of_the_place, "db", "passwd", "username", "unix_socket", "ssl", "ssl_ca")
        options = {{key: value for key, value in given.items() if key not in others}}
        real(self, **{{**options, **server, "database": name{quick}}})
        handed_out.add(self)
        return None

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr({kind}, "{method}", connect)
        yield databases, handed_out
'''

LED_BY_AIOMYSQL = '''\
def connections_to(server):
    """Redirect every connection to the throw-away server, to a database of the same name."""
    real = Connection.__init__
    databases = {}

    def session(name):
        return pymysql.connect(**server, database=name, ssl_disabled=True, autocommit=True)

    def connect(self, *args, **kwargs):
        of_the_place = ("host", "user", "password", "db", "port")
        given = {**dict(zip(of_the_place, args, strict=False)), **kwargs}
        name = given.get("db") or "tests"
        if name not in databases:
            with closing(session("mysql")) as first:
                run(first, f"CREATE DATABASE IF NOT EXISTS `{name}`")
            databases[name] = session(name)
        others = (*of_the_place, "unix_socket", "ssl")
        options = {key: value for key, value in given.items() if key not in others}
        real(self, **options, **server, db=name)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Connection, "__init__", connect)
        yield databases, ()
'''
