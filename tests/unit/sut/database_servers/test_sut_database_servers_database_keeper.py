from __future__ import annotations

import pytest

from pytest_evosearch.sut.database_servers.connections import SeenDatabase
from pytest_evosearch.sut.database_servers.database_keeper import keeper_of
from pytest_evosearch.sut.database_servers.own_session import OwnSession
from pytest_evosearch.sut.database_servers.places import MYSQL
from pytest_evosearch.sut.database_servers.places import POSTGRESQL
from pytest_evosearch.sut.database_servers.places import Place


def never_opened() -> OwnSession:
    raise AssertionError


@pytest.mark.parametrize(
    ("dialect", "name", "led", "kept"),
    [
        (POSTGRESQL, "shop", False, True),
        (POSTGRESQL, "shop", True, True),
        (POSTGRESQL, "postgres", True, True),
        (POSTGRESQL, "postgres", False, False),
        (POSTGRESQL, "template1", True, False),
        (MYSQL, "mysql", True, False),
    ],
)
def test_a_throw_away_server_has_no_database_but_those_of_the_application(
    dialect: str, name: str, led: bool, kept: bool
) -> None:
    database = SeenDatabase(Place(dialect, "db", 1, name), never_opened, led=led)
    assert (keeper_of(database) is not None) == kept
