"""A session that has changed something holds a transaction until it ends it."""

from __future__ import annotations

import sqlalchemy
from sqlalchemy.orm import Session

from pytest_evosearch.sut.outgoing.open_transactions import holds_transaction


def test_only_a_session_that_has_changed_something_holds_a_transaction():
    engine = sqlalchemy.create_engine("sqlite://")
    with Session(engine) as session:
        session.execute(sqlalchemy.text("CREATE TABLE a (b)"))
        session.commit()
        assert not holds_transaction()
        session.execute(sqlalchemy.text("SELECT * FROM a"))
        assert not holds_transaction()
        session.execute(sqlalchemy.text("INSERT INTO a VALUES (1)"))
        assert holds_transaction()
        session.rollback()
        assert not holds_transaction()
    engine.dispose()
