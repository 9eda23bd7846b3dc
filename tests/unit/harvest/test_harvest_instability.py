from __future__ import annotations

import datetime
import importlib
import os
import random
import secrets
import sys
import time
import uuid
from collections.abc import Callable
from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_evosearch.execution.repeating.identities import ApplicationModules
from pytest_evosearch.execution.repeating.identities import IdentityWatch
from pytest_evosearch.execution.repeating.recollection import Recollection
from pytest_evosearch.execution.repetitions import RandomnessWatch
from pytest_evosearch.execution.repetitions import when_threads_are_done
from pytest_evosearch.harvest.instability import Instability
from pytest_evosearch.harvest.permanence import InProcess
from pytest_evosearch.harvest.permanence import OnServer
from pytest_evosearch.instrument import install
from pytest_evosearch.minimize.unstable import unstable_facts
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual

TEST = Individual((Call("GET /", (), 1),))


@dataclass
class Handling:
    """Executes a handler that gives a status and a text."""

    handler: Callable[[], tuple[int, str]]
    draws: int = 0
    identities: int = 0
    drew_random_numbers: bool = False
    threads: int = 0
    recollection: Recollection = field(default_factory=Recollection)
    times: int = 0

    def repeat(
        self, _individual: Individual, condition: Any, interpreter: int = 0
    ) -> tuple[Exchange, ...]:
        self.times += 1
        with condition():
            watch, identities = RandomnessWatch(), IdentityWatch(interpreter)
            modules = ApplicationModules().now()
            with watch.counting(), identities.answering(modules):
                status, text = self.handler()
            self.identities = identities.asked
            self.draws, self.drew_random_numbers = watch.draws, watch.drew
        return (Exchange(Request("GET", "/"), Response(status, (), text.encode())),)


def unstable(
    handler: Callable[[], tuple[int, str]],
    permanence: InProcess | None = None,
    hurries: bool = False,
) -> tuple[dict[tuple[object, ...], str], int]:
    """Return what is unstable of the only call, and how often it was repeated."""
    executor: Any = Handling(handler)
    reference = executor.repeat(TEST, InProcess.conditions[0][1])
    conditions = (permanence or InProcess()).conditions
    found = Instability(executor, conditions, lambda: hurries).repeated(TEST, reference)
    facts = {fact: why for (_call, fact), why in unstable_facts(reference, found).items()}
    return facts, executor.times - 1


def refused_when(condition: Callable[[], bool]) -> Callable[[], tuple[int, str]]:
    return lambda: (503, "no") if condition() else (200, "yes")


@pytest.mark.parametrize(
    "condition",
    [
        lambda: os.urandom(1)[0] < 128,
        lambda: os.urandom(1)[0] < 2,
        lambda: secrets.choice("abcdefgh") == "a",
        lambda: uuid.uuid4().int % 2 == 1,
        lambda: random.SystemRandom().random() > 0.995,
        lambda: random.random() < 0.005,
        lambda: random.randrange(500) == 499,
        lambda: random.Random().random() < 0.02,
        lambda: random.Random().sample(range(10), 10)[0] == 9,
        lambda: secrets.randbelow(10) == 4,
        lambda: int(time.time()) % 2 == 1,
    ],
    ids=[
        "byte",
        "rare",
        "choice",
        "uuid",
        "float",
        "seeded",
        "range",
        "own",
        "sample",
        "below",
        "second",
    ],
)
def test_a_status_that_chance_decides_is_unstable(condition: Callable[[], bool]) -> None:
    facts, _times = unstable(refused_when(condition))

    assert set(facts) == {("status",)}


def test_random_bytes_that_decide_nothing_leave_the_status_alone() -> None:
    facts, _times = unstable(lambda: (200, uuid.uuid4().hex))

    assert set(facts) == {("text",)}


def test_what_was_made_before_and_is_out_of_date_is_left_to_verification() -> None:
    made = time.time()
    facts, _times = unstable(refused_when(lambda: time.time() > made + 3600))

    assert facts == {}


def test_what_an_answer_says_of_the_time_shows_under_a_clock_that_is_moved_back() -> None:
    made = time.time()

    def handler() -> tuple[int, str]:
        if time.time() > made + 3600:
            return 401, "expired"
        return 200, str(datetime.date.today())

    facts, _times = unstable(handler)

    assert set(facts) == {("text",)}


def test_a_test_that_is_always_alike_is_repeated_four_times_and_twice_in_a_hurry() -> None:
    assert unstable(lambda: (200, "yes")) == ({}, 4)
    assert unstable(lambda: (200, "yes"), hurries=True) == ({}, 2)


def test_a_test_that_differs_somewhere_is_repeated_more_often() -> None:
    facts, times = unstable(lambda: (200, str(time.time())))

    assert (set(facts), times) == ({("text",)}, 6)


def test_a_test_is_repeated_often_whose_endpoint_had_two_statuses_for_another_request() -> None:
    executor: Any = Handling(lambda: (503, "no") if executor.times % 20 == 19 else (200, "yes"))
    reference = executor.repeat(TEST, InProcess.conditions[0][1])
    instability = Instability(executor, InProcess.conditions, lambda: False)
    assert not unstable_facts(reference, instability.repeated(TEST, reference))

    other = replace(reference[0], request=Request("GET", "/", query=(("n", 5),)))
    executor.recollection.note([other])
    executor.recollection.note([replace(other, response=Response(503))])
    assert set(unstable_facts(reference, instability.repeated(TEST, reference))) == {
        (0, ("status",))
    }


def test_a_test_whose_threads_may_race_is_repeated_often() -> None:
    executor: Any = Handling(lambda: (500, "lost") if executor.times % 20 == 19 else (200, "yes"))
    executor.threads = 3
    reference = executor.repeat(TEST, InProcess.conditions[0][1])
    instability = Instability(executor, InProcess.conditions, lambda: False)
    assert set(unstable_facts(reference, instability.repeated(TEST, reference))) == {
        (0, ("status",))
    }


@pytest.mark.parametrize(("calls", "waits"), [(1, False), (2, True)])
def test_what_follows_a_call_that_starts_threads_is_seen_when_they_are_done(
    calls: int, waits: bool
) -> None:
    conditions = []

    class Noting(Handling):
        def repeat(
            self, individual: Individual, condition: Any, interpreter: int = 0
        ) -> tuple[Exchange, ...]:
            conditions.append(condition)
            return super().repeat(individual, condition, interpreter) * calls

    executor: Any = Noting(lambda: (200, "yes"), threads=1)
    reference = executor.repeat(TEST, InProcess.conditions[0][1])
    Instability(executor, InProcess.conditions, lambda: False).repeated(TEST, reference)
    assert (when_threads_are_done in conditions) is waits


APPLICATION = """
KEPT = {hash("ann"): "here"}

def of_text(): return hash("something") % 2 == 1
def of_texts(): return hash(("a", 1)) % 2 == 1
def of_address(): return id(object()) // 16 % 2 == 1
def of_object(): return hash(object()) // 16 % 2 == 1
def of_number(): return hash(17) % 5 == hash((2, 3)) % 5
def of_kept(): return KEPT.get(hash("ann")) != "here"
"""


@pytest.fixture
def application(tmp_path: Path) -> Iterator[Any]:
    """Yield an instrumented module whose functions ask for hashes and addresses."""
    (tmp_path / "asking_application.py").write_text(APPLICATION)
    recording = install(["asking_application"], root=tmp_path)
    sys.path.insert(0, str(tmp_path))
    try:
        yield importlib.import_module("asking_application")
    finally:
        sys.path.remove(str(tmp_path))
        sys.modules.pop("asking_application", None)
        recording.uninstall()


@pytest.mark.parametrize("name", ["of_text", "of_texts", "of_address", "of_object"])
def test_a_status_that_a_hash_or_an_address_decides_is_unstable(
    application: Any, name: str
) -> None:
    facts, _times = unstable(refused_when(getattr(application, name)))

    assert ("status",) in facts


@pytest.mark.parametrize("name", ["of_number", "of_kept"])
def test_a_hash_that_is_alike_everywhere_or_was_kept_decides_nothing(
    application: Any, name: str
) -> None:
    assert unstable(refused_when(getattr(application, name)))[0] == {}
    assert "hash" not in vars(application)


def test_a_server_with_a_clock_of_its_own_is_only_asked_again() -> None:
    assert unstable(lambda: (200, "yes"), OnServer()) == ({}, 2)
