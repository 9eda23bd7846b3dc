from __future__ import annotations

from pathlib import Path

import pytest

from pytest_evosearch.sut.fixture_texts.server_text import can_be_written
from pytest_evosearch.sut.fixture_texts.support_text import SupportText
from pytest_evosearch.sut.fixture_texts.support_text import conftest_text

APPLICATION = """
import {driver}
from flask import Flask

def create_app():
    app = Flask(__name__)
    place = "host=db.invalid user=me password=secret dbname=shop"

    def connect():
        return {driver}.connect(place)

    with connect() as connection:
        connection.cursor().execute("CREATE TABLE item (id serial PRIMARY KEY)")
        connection.commit()

    @app.post("/items")
    def add():
        connection = connect()
        cursor = connection.cursor()
        cursor.execute("INSERT INTO item DEFAULT VALUES RETURNING id")
        (number,) = cursor.fetchone()
        connection.commit()
        connection.close()
        return {{"id": number}}

    return app
"""

TESTS = """
def test_first(client):
    assert client.post("/items").get_json() == {"id": 1}

def test_second(client):
    assert client.post("/items").get_json() == {"id": 1}
"""


@pytest.mark.parametrize("driver", ["psycopg2", "psycopg"])
def test_written_tests_start_a_server_and_find_the_same_state_each(
    pytester: pytest.Pytester, driver: str
) -> None:
    pytest.importorskip(driver)
    text = SupportText(
        import_statement="from shop import create_app",
        expression="create_app()",
        server=driver,
        path_entries=[pytester.path],
    )
    pytester.makepyfile(shop=APPLICATION.format(driver=driver), test_shop=TESTS)
    pytester.makeconftest(conftest_text(text, Path(pytester.path)))
    result = pytester.runpytest_subprocess("-q", "-p", "no:randomly", "-W", "error")
    if "PostgreSQL is not installed" in result.stdout.str():
        pytest.skip("PostgreSQL is not installed")
    result.assert_outcomes(passed=2)


def test_other_drivers_are_not_written() -> None:
    assert not can_be_written("asyncpg")
