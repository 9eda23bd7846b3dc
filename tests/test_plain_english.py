"""Holds prose free of words that make it hard to read."""

from __future__ import annotations

from pathlib import Path

from plain_english import places


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
