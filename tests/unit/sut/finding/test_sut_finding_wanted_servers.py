from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pytest_evosearch.sut.database_servers.connections import watched_server_connections
from pytest_evosearch.sut.finding import wanted_servers
from pytest_evosearch.sut.finding.unset_variables import stand_ins
from pytest_evosearch.sut.finding.wanted_servers import file_address
from pytest_evosearch.sut.finding.wanted_servers import names_a_server
from pytest_evosearch.sut.finding.wanted_servers import wanted_address

pytest.importorskip("sqlalchemy")


@pytest.fixture
def _servers_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    at_hand = {"postgresql": lambda: Path("/bin"), "mysql": lambda: Path("/bin")}
    monkeypatch.setattr(wanted_servers, "_SERVERS", at_hand)


@pytest.mark.usefixtures("_servers_at_hand")
@pytest.mark.parametrize(
    ("requirements", "module", "address"),
    [
        ("Flask\npsycopg2-binary==2.9", "psycopg2", "postgresql+psycopg2:///app"),
        ("psycopg[binary]>=3", "psycopg", "postgresql+psycopg:///app"),
        ("PyMySQL==1.1", "pymysql", "mysql+pymysql://localhost/app"),
        ("Flask\nmy-psycopg2-notes", "psycopg2", None),
        ("Flask", "psycopg2", None),
    ],
)
def test_requirements_name_the_driver(
    tmp_path: Path, requirements: str, module: str, address: str | None
) -> None:
    pytest.importorskip(module)
    (tmp_path / "requirements.txt").write_text(requirements, encoding="utf-8")
    with watched_server_connections(lambda _place, _opening: {}):
        assert wanted_address(tmp_path) == address


@pytest.mark.usefixtures("_servers_at_hand")
@pytest.mark.parametrize("is_imported", [False, True])
def test_a_driver_without_sqlalchemy_gets_an_address_before_it_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_imported: bool
) -> None:
    pytest.importorskip("psycopg2")
    monkeypatch.delitem(sys.modules, "sqlalchemy", raising=False)
    if not is_imported:
        monkeypatch.delitem(sys.modules, "psycopg2")
    (tmp_path / "Pipfile").write_text('[packages]\nflask = "*"\npsycopg2 = "*"\n')
    with watched_server_connections(lambda _place, _opening: {}):
        address = wanted_address(tmp_path)
    assert address == "postgresql:///app"
    assert names_a_server(address)


@pytest.mark.usefixtures("_servers_at_hand")
def test_where_connections_lead_to_the_real_server_none_is_wanted(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("psycopg2", encoding="utf-8")
    with watched_server_connections():
        assert wanted_address(tmp_path) is None


def test_sqlite_stands_in_where_no_server_can_be_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wanted_servers, "_SERVERS", {"postgresql": lambda: None})
    (tmp_path / "requirements.txt").write_text("psycopg2", encoding="utf-8")
    with watched_server_connections(lambda _place, _opening: {}):
        assert wanted_address(tmp_path) is None
    assert stand_ins({"DATABASE_URL": ""}) == {"DATABASE_URL": "sqlite://"}
    assert stand_ins({"DATABASE_URL": ""}, "postgresql:///app") == {
        "DATABASE_URL": "postgresql:///app"
    }


@pytest.mark.parametrize(
    ("requirements", "address"), [("Flask-SQLAlchemy==3.1", "sqlite://"), ("Flask", None)]
)
def test_settings_may_be_read_before_sqlalchemy_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, requirements: str, address: str | None
) -> None:
    (tmp_path / "requirements.txt").write_text(requirements, encoding="utf-8")
    monkeypatch.delitem(sys.modules, "sqlalchemy", raising=False)
    assert file_address(tmp_path) == address
