"""Holds prose free of words that make it hard to read."""

from __future__ import annotations

from pathlib import Path

from plain_english import long_sentences
from plain_english import places
from plain_english import places_in_pages


def test_the_prose_uses_plain_words() -> None:
    assert list(places()) == []


def test_docstrings_comments_and_messages_are_read_and_names_are_not(tmp_path: Path) -> None:
    (tmp_path / "talk.py").write_text(
        '"""Says what nobody knows.\n\nNot `nobody`, which is a name."""\n'
        "nobody = 'nobody'  # somebody else\n"
        "raise ValueError(f'tried {nobody} in vain')\n"
    )
    found = [(place.line, place.word) for place in places(tmp_path)]
    assert sorted(found) == [(1, "nobody"), (4, "somebody"), (5, "in vain")]


def test_pages_use_plain_words() -> None:
    assert list(places_in_pages()) == []


def test_pages_are_read_and_their_code_is_not(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(
        "It is mended.\n\n```\nnobody\n```\n\nFor `nobody`, whoever.\n"
    )
    found = [(place.line, place.word) for place in places_in_pages(tmp_path)]
    assert found == [(1, "mended"), (7, "whoever")]


def test_no_sentence_of_a_docstring_is_longer_than_the_longest_so_far() -> None:
    assert list(long_sentences()) == []


def test_a_long_sentence_is_found_and_a_table_is_not(tmp_path: Path) -> None:
    (tmp_path / "talk.py").write_text(
        '"""One two three four. Five.\n\n    one two three four\n\none  two three four."""\n'
    )
    found = [place.word for place in long_sentences(tmp_path, most=3)]
    assert found == ["One two three four."]
