from __future__ import annotations

from pathlib import Path

import pytest

from pytest_evosearch.engine.beside.mailbox import Farewell
from pytest_evosearch.engine.beside.mailbox import Mailbox
from pytest_evosearch.engine.beside.mailbox import Message
from pytest_evosearch.search.migration import Emigrant


@pytest.fixture
def two(tmp_path: Path) -> tuple[Mailbox, Mailbox]:
    return Mailbox(tmp_path, 0, 2), Mailbox(tmp_path, 1, 2)


def test_a_message_arrives_as_it_was_told(two: tuple[Mailbox, Mailbox]) -> None:
    home, other = two
    assert home.message(1, 0) is None
    assert not home.has_posted(1, 0)
    message = Message((Emigrant(b"test", {"line": 1.0}),), 12)
    other.post(0, message)
    assert home.message(1, 0) == message
    assert home.has_posted(1, 0)
    assert not home.has_posted(1, 1)


def test_who_has_left_will_tell_nothing_more(two: tuple[Mailbox, Mailbox]) -> None:
    home, other = two
    farewell = Farewell(1, Message((), 5), {"GET /": 3}, {"GET /": {200: 3}})
    other.say_farewell(farewell)
    assert home.farewell(1) == farewell
    assert home.has_left(1)
    assert home.has_posted(1, 7)


def test_the_dead_are_buried_with_what_they_had_told(two: tuple[Mailbox, Mailbox]) -> None:
    home, other = two
    other.post(0, Message())
    other.post(1, Message())
    home.bury(1)
    assert home.farewell(1) == Farewell(2)


def test_the_others_are_heard_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    assert Mailbox(tmp_path, 1, 4).others == [0, 2, 3]


def test_a_call_to_stop_reaches_everybody(two: tuple[Mailbox, Mailbox]) -> None:
    home, other = two
    assert not other.is_called_to_stop
    home.call_to_stop()
    assert other.is_called_to_stop


def test_a_folder_that_is_gone_means_the_end(tmp_path: Path) -> None:
    mailbox = Mailbox(tmp_path / "gone", 1, 2)
    assert mailbox.is_called_to_stop
    mailbox.post(0, Message())  # nobody listens, and nothing happens
    assert mailbox.message(1, 0) is None
