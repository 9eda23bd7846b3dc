from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_evosearch.engine.beside import assistance
from pytest_evosearch.engine.beside.assistance import Assistance
from pytest_evosearch.engine.beside.early_findings import EarlyFindings
from pytest_evosearch.engine.beside.letters import FINISHER
from pytest_evosearch.engine.beside.letters import HOME
from pytest_evosearch.engine.beside.letters import PROCESSES
from pytest_evosearch.engine.beside.letters import Order
from pytest_evosearch.engine.beside.letters import Report
from pytest_evosearch.engine.beside.letters import unpacked
from pytest_evosearch.engine.beside.mailbox import Mailbox
from pytest_evosearch.engine.loop_parts import Ending
from pytest_evosearch.engine.loop_parts import Occasions
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.search.archive import Archive

ONE = Individual((Call("GET /one", (), 1),))
TWO = Individual((Call("GET /two", (), 1), Call("GET /one", (), 2)))


class Side:
    """A search at `share`, and a finisher whose side of the mailbox a test plays."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(assistance, "LOOK_SECONDS", 0.0)
        self.folder = folder
        self.archive: Archive[Individual] = Archive()
        self.loop = SimpleNamespace(
            share=0.5,
            archive=self.archive,
            occasions=Occasions(),
            ending=Ending(lambda: None),
            problem=SimpleNamespace(callers={}),
        )
        self.early = EarlyFindings()
        self.hindrance = ""
        self.started = 0
        loop: Any = self.loop
        self.assistance = Assistance(self, loop, self.early, lambda: self.hindrance)
        self.finisher = Mailbox(folder, FINISHER, PROCESSES)

    def start_finisher(self) -> Mailbox:
        self.started += 1
        return Mailbox(self.folder, HOME, PROCESSES)

    def found(self, individual: Individual, *targets: str) -> None:
        self.archive.offer(Evaluation(individual, dict.fromkeys(targets, 1.0), (1, 1)))

    def look(self) -> None:
        self.loop.occasions.keep()

    def order(self, number: int) -> list[Individual] | None:
        order: Order | None = self.finisher.message(HOME, number)
        return None if order is None else unpacked(order.tests)


@pytest.fixture
def side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Side:
    return Side(tmp_path, monkeypatch)


def test_the_finisher_gets_what_the_archive_holds_short_tests_first(side: Side) -> None:
    side.found(TWO, "line b:2")
    side.found(ONE, "line a:1")
    side.look()

    assert side.started == 1
    assert side.order(0) == [ONE, TWO]


def test_the_finisher_waits_until_most_of_what_is_easy_is_found(side: Side) -> None:
    side.found(ONE, "line a:1")
    side.loop.share = 0.1
    side.look()
    assert (side.started, side.order(0)) == (1, None)

    side.loop.share = 0.3
    side.look()
    assert (side.started, side.order(0)) == (1, [ONE])


def test_the_finisher_gets_what_is_new_when_it_is_done(side: Side) -> None:
    side.found(ONE, "line a:1")
    side.look()
    side.found(TWO, "line b:2")
    side.look()
    assert side.order(1) is None

    side.finisher.post(0, Report(proven=frozenset({"first"})))
    side.finisher.post(1, Report(is_done=True))
    side.look()

    assert side.order(1) == [TWO]
    assert side.early.counts() == (0, 1, True)


def test_the_finisher_is_dismissed_as_soon_as_the_two_would_share_something(side: Side) -> None:
    side.found(ONE, "line a:1")
    side.look()
    side.hindrance = "calls change files"
    side.look()

    assert side.finisher.is_called_to_stop


def test_there_is_no_finisher_where_something_is_shared(side: Side) -> None:
    side.hindrance = "a database on a server"
    side.look()

    assert side.started == 0


def test_the_finisher_goes_on_after_the_search_until_it_is_left(side: Side) -> None:
    side.found(ONE, "line a:1")
    side.look()
    assert tuple(side.assistance.gather()) == ()
    assert not side.finisher.is_called_to_stop

    side.finisher.post(0, Report(proven=frozenset({"late"})))
    side.early.read()
    side.early.leave()

    assert side.early.proven == {"late"}
    assert side.finisher.is_called_to_stop


def test_nothing_goes_on_beside_when_the_user_waits(side: Side) -> None:
    side.found(ONE, "line a:1")
    side.look()
    side.loop.ending.interruption = "Ctrl-C"
    side.assistance.gather()

    assert side.finisher.is_called_to_stop
