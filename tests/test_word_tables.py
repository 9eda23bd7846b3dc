"""Holds the number of tables of words: what a name means is asked in `core.vocabulary`."""

from __future__ import annotations

from pathlib import Path

from word_tables import GUESSES
from word_tables import word_tables

MOST_TABLES = 209
MOST_TEXTS = 2575
MOST_GUESSES = 23
"""Today's numbers.  Lower them when tables go; before one is raised, look at `core.vocabulary`."""


def test_tables_of_words_do_not_grow() -> None:
    tables = list(word_tables())
    assert len(tables) <= MOST_TABLES
    assert sum(len(table.texts) for table in tables) <= MOST_TEXTS


def test_tables_that_guess_what_words_mean_do_not_grow() -> None:
    guesses = {f"{table.file} {table.name}" for table in word_tables() if table.is_guess}
    assert guesses == GUESSES, "take tables that are gone off the list"
    assert len(guesses) <= MOST_GUESSES


def test_a_table_is_found_however_it_is_wrapped(tmp_path: Path) -> None:
    (tmp_path / "names.py").write_text(
        "__all__ = ['a', 'b', 'c']\n"
        "PAIR = ('one', 'two')\n"
        "WORDS = frozenset({'one', 'two', 'three'})\n"
        "class Reader:\n    KINDS: tuple[str, ...] = ('x', 'y') + ('z',)\n"
        "def inner():\n    local = ['one', 'two', 'three']\n"
    )
    assert [(table.name, table.texts) for table in word_tables(tmp_path)] == [
        ("WORDS", ("one", "two", "three")),
        ("KINDS", ("x", "y", "z")),
    ]
