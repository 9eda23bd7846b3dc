"""Queries as targets: what a database decides about rows, scored like decisions of the code.

    cursor's execute -> `watch` (which statement, at which place)
        `statements`    reads placeholders, tells statements apart whatever their values
        `parsing`       trees of sqlglot, kept by text; without sqlglot only rows or none count
        `selection`     one query in which the database judges each condition for each row
        `row_predicates`  what a statement requires of a row, and which row would fulfil it
        `relations`    how near the rows are to the other outcome of each condition
        `sites`         the targets of each place and statement, and the result of one
        `row_nearness`       the nearest row, scores, and hints from columns to parameters and back
        `absent_tables`   tables that statements ask for that are not there
        `refused_writes`      constraints that refused a write, and values that they accept

Start at `watch`.  Rows are read through the application's own connection, because only it sees
uncommitted rows.  `cursors` makes cursors that ask the watch.  SQLite gets them in
`sut.watching.sqlite_connections`; servers in `sut.database_servers.seen_statements`.

Imports `instrument.distances` and `core`; `sut.database_servers`, `sut.watching`, `write.naming`
and `engine` import it.
"""
