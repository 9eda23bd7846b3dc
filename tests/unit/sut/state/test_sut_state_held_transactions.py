from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from pytest_evosearch.sut.state.held_transactions import HeldTransactionsKeeper

sqlalchemy = pytest.importorskip("sqlalchemy")
orm = pytest.importorskip("sqlalchemy.orm")


@pytest.fixture
def connection() -> Iterator[Any]:
    engine = sqlalchemy.create_engine("sqlite://", poolclass=sqlalchemy.pool.StaticPool)
    with engine.connect() as made:
        made.execute(sqlalchemy.text("create table things (id integer)"))
        made.commit()
        yield made
    engine.dispose()


def count(connection: Any) -> int:
    return int(connection.execute(sqlalchemy.text("select count(*) from things")).scalar_one())


def test_a_transaction_that_was_rolled_back_is_open_again(connection: Any) -> None:
    with connection.begin() as transaction:
        session = orm.scoped_session(orm.sessionmaker(bind=connection))
        keeper = HeldTransactionsKeeper()
        keeper.snapshot()
        for _ in range(2):
            session.execute(sqlalchemy.text("insert into things values (1)"))
            session.rollback()
            session.remove()
            with pytest.raises(sqlalchemy.exc.InvalidRequestError, match="closed transaction"):
                count(connection)
            keeper.restore()
            assert connection.get_transaction() is transaction
            assert count(connection) == 0
        session.execute(sqlalchemy.text("insert into things values (1)"))
        session.commit()
        assert count(connection) == 1
        transaction.rollback()
    assert count(connection) == 0
    keeper.close()


def test_what_is_open_still_is_left_alone(connection: Any) -> None:
    with connection.begin():
        keeper = HeldTransactionsKeeper()
        keeper.snapshot()
        connection.execute(sqlalchemy.text("insert into things values (1)"))
        keeper.restore()
        assert count(connection) == 1
    assert count(connection) == 1


def test_a_connection_that_was_closed_stays_closed(connection: Any) -> None:
    with connection.engine.connect() as other, other.begin() as transaction:
        keeper = HeldTransactionsKeeper()
        keeper.snapshot()
        transaction.rollback()
    keeper.restore()
    assert other.closed
    assert not transaction.is_active


def test_transactions_outside_of_a_with_are_begun_by_sqlalchemy_itself(connection: Any) -> None:
    transaction = connection.begin()
    keeper = HeldTransactionsKeeper()
    keeper.snapshot()
    transaction.rollback()
    keeper.restore()
    assert not transaction.is_active
    assert count(connection) == 0
