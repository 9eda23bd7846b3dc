from __future__ import annotations

from types import SimpleNamespace

from flask import Flask
from werkzeug.local import LocalProxy

from pytest_evosearch.sut.database_servers.places import MYSQL
from pytest_evosearch.sut.database_servers.places import POSTGRESQL
from pytest_evosearch.sut.databases import configured_places
from pytest_evosearch.sut.databases import refuse_server_databases
from pytest_evosearch.sut.databases import server_variables


def test_servers_that_can_be_played_are_found_and_not_refused() -> None:
    app = Flask(__name__)
    app.config["SQLALCHEMY_DATABASE_URI"] = "postgresql+psycopg2://me:secret@db.example.com/shop"
    app.config["SQLALCHEMY_BINDS"] = {"users": "mysql://root@localhost:3307/users"}
    refuse_server_databases(app, allow=False)
    found = {(one.dialect, one.port, one.database) for one in configured_places(app)}
    assert found == {(POSTGRESQL, 0, "shop"), (MYSQL, 3307, "users")}


def test_variables_for_written_tests_name_neither_host_nor_password() -> None:
    environment = {
        "DATABASE_URL": "postgresql+psycopg://me:secret@db.example.com:5433/shop",
        "OTHER_URL": "mysql://root:secret@db.example.com/users",
        "OLD_URL": "oracle://root:secret@db.example.com/users",
        "HOME": "/root",
    }
    assert server_variables(environment) == {
        "DATABASE_URL": "postgresql+psycopg:///shop",
        "OTHER_URL": "mysql://localhost/users",
    }


def test_a_proxy_of_a_text_is_no_address() -> None:
    """Messages of Flask-Security are texts that are translated when they are shown."""
    lazy = LocalProxy(lambda: "mysql://root@shop.example.org/shop")
    refuse_server_databases(SimpleNamespace(config={"MESSAGE": lazy}), allow=False)
