"""Passwords of stored accounts are found in the source, or are the names."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest
from werkzeug.security import generate_password_hash

from pytest_evosearch.sut.users import password_guesses
from pytest_evosearch.sut.users.accounts import Person
from pytest_evosearch.sut.users.password_guesses import with_guessed_passwords

SEED = """
from werkzeug.security import generate_password_hash

def seed():
    add(name="ann", secret=generate_password_hash("cat"))
    add(name="bob", password="dog")
    user = User("eve")
    user.set_password("owl")
    add({"name": "joe", "password": "cow"})
    password = "fox"
    add("kim", password)
"""


def stored(name, password, method="pbkdf2:sha256:1"):
    return Person((name,), generate_password_hash(password, method=method))


def found(people, root):
    return {person.names[0]: person.password for person in with_guessed_passwords(people, root)}


@pytest.mark.parametrize(
    ("name", "password"),
    [("ann", "cat"), ("bob", "dog"), ("eve", "owl"), ("joe", "cow"), ("kim", "fox"), ("x", "x")],
)
def test_what_stands_in_the_place_of_a_password_near_the_name_is_tried(tmp_path, name, password):
    (tmp_path / "seed.py").write_text(SEED)

    assert found([stored(name, password)], tmp_path) == {name: password}


def test_an_unknown_password_is_nobodys(tmp_path):
    (tmp_path / "seed.py").write_text(SEED)
    (tmp_path / "broken.py").write_text("password = (")

    people = [stored("ann", "secret"), Person(("ann",), "sha256$x$y"), stored("bob", "dog")]

    assert found(people, tmp_path) == {"bob": "dog"}


def test_hashes_of_bcrypt(tmp_path, monkeypatch):
    bcrypt = ModuleType("bcrypt")
    bcrypt.checkpw = lambda password, stored: stored == b"$2b$12$" + password
    monkeypatch.setitem(sys.modules, "bcrypt", bcrypt)

    assert found([Person(("ann",), "$2b$12$ann")], tmp_path) == {"ann": "ann"}


def test_guessing_ends(tmp_path, monkeypatch):
    monkeypatch.setattr(password_guesses, "MOST_GUESSES", 3)
    people = [stored(name, name) for name in "abcd"]

    assert list(found(people, tmp_path)) == ["a", "b", "c"]
