"""Holds the prose of finished packages free of words that make it hard to read."""

from __future__ import annotations

from pathlib import Path

from plain_english import places

TO_DO = ("sut/sandbox",)
"""Packages whose docstrings still have to be gone through."""

MOST_TO_DO = 30
"""Places in those packages; lower it when some of them go."""


def test_finished_packages_use_plain_words() -> None:
    found = [place for place in places() if not place.file.startswith(TO_DO)]
    assert found == []


def test_the_other_packages_get_no_more_of_them() -> None:
    assert len([place for place in places() if place.file.startswith(TO_DO)]) <= MOST_TO_DO


def test_docstrings_comments_and_messages_are_read_and_names_are_not(tmp_path: Path) -> None:
    (tmp_path / "talk.py").write_text(
        '"""Says what nobody knows.\n\nNot `nobody`, which is a name."""\n'
        "nobody = 'nobody'  # somebody else\n"
        "raise ValueError(f'tried {nobody} in vain')\n"
    )
    found = [(place.line, place.word) for place in places(tmp_path)]
    assert sorted(found) == [(1, "nobody"), (4, "somebody"), (5, "in vain")]
