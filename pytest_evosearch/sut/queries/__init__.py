"""Queries as targets: what a database decides about rows, scored like what the code decides.

    cursor's execute -> `watch` (which statement, at which place)
        `statements`    reads placeholders, tells one statement from another whatever its values
        `parsing`       trees of sqlglot, kept by text; without sqlglot only rows or none count
        `selection`     one query that lets the database judge each condition for each row
        `row_predicates`  what a statement asks of a row, and what would fulfil it
        `relations`    how near the rows are to the other outcome of each condition
        `sites`         the targets of each place and statement, and what came of one
        `row_nearness`       the nearest row, scores, and hints from columns to parameters and back
        `refused_writes`      constraints that refused a write, and what they would have taken

Rows are read through the application's own connection, as it alone sees what it has not
committed.  `cursors` makes cursors that ask the watch.  SQLite gets them in
`sut.watching.sqlite_connections`; servers in `sut.database_servers.seen_statements`, and
asynchronous drivers in `sut.database_servers.awaited_statements`.
"""
