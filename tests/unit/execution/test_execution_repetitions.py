from __future__ import annotations

import datetime
import os
import random
import secrets
import time
import uuid

import pytest

from pytest_evosearch.execution.repetitions import EVEN_BYTES
from pytest_evosearch.execution.repetitions import EVEN_SEEDS
from pytest_evosearch.execution.repetitions import EXTREME_SEEDS
from pytest_evosearch.execution.repetitions import RandomnessWatch
from pytest_evosearch.execution.repetitions import a_little_later
from pytest_evosearch.execution.repetitions import clock_moved_by


def test_one_draw_of_the_system_is_chosen_and_the_others_are_any() -> None:
    with a_little_later(1, (1, 255))():
        drawn = [os.urandom(4) for _ in range(3)]

    assert drawn[1] == b"\xff" * 4
    assert len({*drawn}) == 3
    assert os.urandom(8) != os.urandom(8)


@pytest.mark.parametrize(
    "draw",
    [
        lambda: uuid.uuid4().hex,
        lambda: secrets.token_hex(8),
        lambda: secrets.randbelow(2**40),
        lambda: random.SystemRandom().random(),
    ],
)
def test_what_the_standard_library_draws_is_the_same_in_the_same_step(draw) -> None:
    drawn = []
    for step in (1, 1, 2):
        with a_little_later(step)():
            drawn.append(draw())

    assert drawn[0] == drawn[1] != drawn[2]


def test_a_choice_that_refuses_the_chosen_draw_ends() -> None:
    with a_little_later(1, (0, 255))():
        assert 0 <= secrets.randbelow(200) < 200


def test_each_step_is_some_seconds_later() -> None:
    now = time.time()
    with a_little_later(2)():
        assert 14 < time.time() - now < 60
    with clock_moved_by(datetime.timedelta(days=-2))():
        assert time.time() < now - 86_400


def test_an_application_may_change_the_time_zone_while_the_clock_is_moved(monkeypatch) -> None:
    monkeypatch.delenv("TZ", raising=False)
    with clock_moved_by(datetime.timedelta(days=2))():
        assert "TZ" not in os.environ
    with a_little_later(2, None)():
        assert "TZ" not in os.environ


def test_draws_of_the_system_are_counted_while_they_are_watched() -> None:
    watch = RandomnessWatch()
    with watch.counting():
        uuid.uuid4()
        secrets.choice("abc")
    uuid.uuid4()

    assert watch.draws >= 2
    assert not watch.drew


def test_numbers_that_are_rare_come_up_early_after_some_seed() -> None:
    first = [random.Random(seed).random() for seed in EXTREME_SEEDS]

    assert min(first) < 0.001
    assert max(first) > 0.999


def test_what_is_made_lies_elsewhere_in_memory() -> None:
    seen = set()
    for step in range(1, 5):
        with a_little_later(step)():
            seen.add(id(object()))

    assert len(seen) > 1


def test_first_numbers_are_spread_evenly_after_some_seeds() -> None:
    first = [int(random.Random(seed).random() * 16) for seed in EVEN_SEEDS]

    assert first == list(range(16))


def test_a_generator_without_a_seed_follows_the_bytes_that_are_chosen() -> None:
    first = []
    for step, byte in enumerate(EVEN_BYTES, start=1):
        with a_little_later(step, (0, byte))():
            first.append(int(random.Random().random() * 16))

    assert first == list(range(16))
