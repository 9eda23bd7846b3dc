"""Rows that tests put into tables themselves, in the way of the project.

    `families`          which models there are, and which tables without any
        `mapped_models`     SQLAlchemy, with or without Flask-SQLAlchemy
        `peewee_models`     peewee
        `plain_tables`      tables of a database, read from its schema
    `kinds`             what a row of each takes
    `opened_rows`       adds rows through the first session or connection that takes them
    `openings`          sessions and connections of the project, and how a test gets at them
    `placing`           adds rows, parents first, all of them or none

How a test does it travels with each row as a `core.row_store.RowStore`.
"""
