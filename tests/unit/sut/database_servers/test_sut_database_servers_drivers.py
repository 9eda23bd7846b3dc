"""How arguments of a driver are read, and led to another server."""

from __future__ import annotations

import pytest

from pytest_evosearch.sut.database_servers.drivers import DRIVERS
from pytest_evosearch.sut.database_servers.places import place_of

PG8000 = next(driver for driver in DRIVERS if driver.module == "pg8000.core")
CHANGES = {"host": "/tmp/server", "port": 5432, "user": "tests", "dbname": "catches"}


def test_pg8000_is_read_and_led_however_its_arguments_are_given() -> None:
    pytest.importorskip("pg8000")
    connection = object()
    ways = (
        ((connection, "harbour", "db.example", "catches"), {"port": 5433, "ssl_context": True}),
        ((connection, "harbour"), {"host": "db.example", "port": 5433, "database": "catches"}),
    )
    for given in ways:
        assert str(place_of(PG8000.dialect, PG8000.read(given))) == "db.example:5433/catches"
        positional, named = PG8000.lead(given, CHANGES)
        assert positional == (connection,)
        assert named == {
            "user": "tests",
            "database": "catches",
            "port": 5432,
            "unix_sock": "/tmp/server/.s.PGSQL.5432",
        }
        led = place_of(PG8000.dialect, PG8000.read((positional, named)))
        assert str(led) == "/tmp/server:5432/catches"
