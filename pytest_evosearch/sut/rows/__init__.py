"""Rows that tests put into tables themselves, in the way of the project.

    `families`          which models there are, and which tables without a model
        `mapped_models`     SQLAlchemy, with or without Flask-SQLAlchemy
        `peewee_models`     peewee
        `plain_tables`      tables of a database, read from its schema
    `kinds`             which values a row of each family takes
    `opened_rows`       adds rows through the first session or connection that accepts them
    `openings`          sessions and connections of the project, and how a test opens them
    `placing`           adds rows, parents first, all of them or none

Start at `families`.  Each row has a `core.row_store.RowStore`, which says how a test adds it.
Imports `sut.state` and `sut.database_servers`; `sut.enrolment` and `engine` import it.
"""
