"""Values that an application keeps in memory or in a file are given another one, and come back."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from types import SimpleNamespace

import pytest
from flask import Flask
from werkzeug.local import LocalProxy

from pytest_evosearch.sut.deeds import Deed
from pytest_evosearch.sut.patches import Patches
from pytest_evosearch.sut.users.values_in_memory import PutKept
from pytest_evosearch.sut.users.values_in_memory import kept_texts
from pytest_evosearch.sut.users.values_in_memory import kept_value

OLD, NEW = "5d41402abc4b2a76", "7d793037a0760186"


class Vault:
    def __init__(self) -> None:
        self.word = OLD


@pytest.fixture
def app() -> Flask:
    return Flask("kept")


def put(app: Flask, folder: Path, modules: list[ModuleType] | None = None) -> Patches:
    kept = kept_value(OLD, app, modules or [])
    assert kept is not None
    putting = Patches()
    deed = Deed(tuple(kept.statements(NEW)), kept.imports)
    PutKept(deed, putting, folder)(SimpleNamespace(application=app))
    return putting


@pytest.mark.parametrize(
    ("held", "expected"),
    [
        ({"mira": OLD}, {"mira": NEW}),
        ({"mira": (OLD, "admin")}, {"mira": (NEW, "admin")}),
        ([{"name": "mira", "hash": OLD}], [{"name": "mira", "hash": NEW}]),
        ([OLD, "other"], [NEW, "other"]),
        ({"mira": OLD.encode()}, {"mira": NEW.encode()}),
        ({OLD: {"owner": "mira"}}, {OLD: {"owner": "mira"}, NEW: {"owner": "mira"}}),
        ({OLD}, {OLD, NEW}),
        (OLD, NEW),
    ],
)
def test_setting_is_given_another_value_and_gets_it_back(app, tmp_path, held, expected):
    app.config["PEOPLE"] = held
    before = repr(held)
    putting = put(app, tmp_path)
    assert app.config["PEOPLE"] == expected
    putting.undo()
    assert repr(app.config["PEOPLE"]) == before


def test_attribute_of_an_object_is_given_another_value(app, tmp_path, monkeypatch):
    monkeypatch.setattr(Vault, "__module__", "shop")
    app.vault = Vault()
    putting = put(app, tmp_path, [ModuleType("shop")])
    assert app.vault.word == NEW
    putting.undo()
    assert app.vault.word == OLD


def test_global_of_a_module_is_given_another_value(app, tmp_path, monkeypatch):
    module = ModuleType("kept_shop")
    module.ADMIN = OLD
    monkeypatch.setitem(sys.modules, "kept_shop", module)
    putting = put(app, tmp_path, [module])
    assert module.ADMIN == NEW
    putting.undo()
    assert module.ADMIN == OLD


def test_setting_names_a_copy_of_a_file_and_the_file_stays_as_it_is(app, tmp_path):
    file = tmp_path / "people"
    lines = f"ines:{{SHA}}{OLD}\nolaf:x\n"
    file.write_text(lines)
    app.config["FILE"] = str(file)
    kept = kept_value(lines, app, [])
    assert kept is not None
    assert kept.is_content
    putting = Patches()
    statements = tuple(kept.statements(lines.replace(OLD, NEW)))
    deed = Deed(statements, kept.imports)
    PutKept(deed, putting, tmp_path)(SimpleNamespace(application=app))
    assert Path(app.config["FILE"]).read_text() == lines.replace(OLD, NEW)
    assert file.read_text() == lines
    assert OLD not in "".join(statements)
    putting.undo()
    assert app.config["FILE"] == str(file)


def test_what_is_drawn_by_chance_beside_a_value_is_put_too(app):
    app.config["PEOPLE"] = {"mira": {"salt": "b41f77", "hash": OLD, "role": "admin"}}
    kept = kept_value(OLD, app, [])
    assert kept is not None
    assert list(kept.statements(NEW)) == [
        f'monkeypatch.setitem(app.config["PEOPLE"]["mira"], "hash", "{NEW}")',
        'monkeypatch.setitem(app.config["PEOPLE"]["mira"], "salt", "b41f77")',
    ]


def test_code_may_compute_the_value(app):
    app.config["PEOPLE"] = {"mira": OLD}
    kept = kept_value(OLD, app, [])
    assert kept is not None
    assert list(kept.statements(NEW, 'hashed("a")')) == [
        'monkeypatch.setitem(app.config["PEOPLE"], "mira", hashed("a"))'
    ]


def test_owner_is_told_by_what_stands_beside_or_by_the_key(app):
    app.config["PEOPLE"] = [{"name": "mira", "hash": OLD}]
    app.config["KEYS"] = {"olaf": NEW}
    owners = [kept_value(text, app, []).owner for text in (OLD, NEW)]
    assert owners == ["mira", "olaf"]


def test_short_texts_are_not_kept_values(app):
    app.config["PEOPLE"] = {"mira": "short", "olaf": OLD}
    texts = set(kept_texts(app, []))
    assert OLD in texts
    assert "short" not in texts


def test_what_a_proxy_stands_for_is_no_kept_value(app):
    app.config["LABEL"] = LocalProxy(lambda: OLD)
    assert OLD not in kept_texts(app, [])


def test_nothing_is_put_where_an_object_takes_no_other_value(app, tmp_path):
    deed = Deed(('monkeypatch.setitem(app.config["NONE"], "a", "b")',))
    PutKept(deed, Patches(), tmp_path)(SimpleNamespace(application=app))
    assert "NONE" not in app.config


def test_bytes_are_given_others_with_the_salt_beside_them(app):
    held, salt = bytes(range(130, 150)), bytes(range(200, 208))
    app.config["VAULT"] = {"digest": held, "salt": salt}
    assert held in kept_texts(app, [])
    found = kept_value(held, app, [])
    assert found is not None
    assert list(found.statements(b"\xff\x01")) == [
        'monkeypatch.setitem(app.config["VAULT"], "digest", bytes.fromhex("ff01"))',
        f'monkeypatch.setitem(app.config["VAULT"], "salt", bytes.fromhex("{salt.hex()}"))',
    ]
