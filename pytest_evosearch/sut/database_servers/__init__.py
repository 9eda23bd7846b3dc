"""Databases on servers: watches connections, and undoes written rows.

Start at `database_keeper`.  Imports `sut.queries`; `sut.state`, `sut.rows`, `sut.servers` and
packages above `sut` import it.

Where to find a decision:

- what is known about single drivers: `drivers` (rows of `driver.Driver`), `mysql_drivers`; where
  connections are watched, `connections`
- how each kind of server is restored: `database_keeper` (the interface), `servers_keeper`
- how tables are restored that a request alters or drops: `postgresql_schema`, `mysql_schema`
- what is restored before fixtures run and after kill -9: `preserved_servers`
"""
