"""Databases on servers: connections are seen, and what was written is undone by rows.

Start at `database_keeper`.

Where to find a decision:

- what is known of single drivers: `drivers`; where connections are seen, `connections`
- which closed connections are handed out again: `kept_connections`
- how each kind of server is put back: `database_keeper` (the seam), `servers_keeper`
- what becomes of tables that a request alters or drops: `postgresql_schema`, `mysql_schema`
- what is put back before fixtures and after kill -9: `preserved_servers`
"""
