"""When a search moves to forked processes, and when it had better not."""

from __future__ import annotations

import itertools
import os
import random
import threading
import time
import uuid
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask
from hosts import OneApplication

from pytest_evosearch.core.budget import Budget
from pytest_evosearch.engine.fork_fallback import LastResort
from pytest_evosearch.engine.fork_fallback import experienced_tests
from pytest_evosearch.engine.fork_fallback import last_resort
from pytest_evosearch.engine.preparing.fork_findings import asked_findings
from pytest_evosearch.engine.preparing.preparation import prepared
from pytest_evosearch.engine.preparing.ready_search import Prepared
from pytest_evosearch.engine.selfcheck import SelfCheck
from pytest_evosearch.engine.selfcheck import reference_individuals
from pytest_evosearch.errors import InvalidSetting
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.settings.checked import SearchSettings
from pytest_evosearch.settings.checked import Settings
from pytest_evosearch.settings.tunables import parse_tunables

forking = pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform cannot fork")


class Started:
    """A search that is about to start."""

    def __init__(self, ready: Prepared, resort: LastResort, told: list[str]) -> None:
        self.ready = ready
        self.resort = resort
        self.told = told

    def answer(self, endpoint: str) -> str:
        evaluation = self.ready.executor.evaluate(one_call(endpoint))
        (exchange,) = evaluation.observation.exchanges
        return exchange.response.text


@contextmanager
def started(
    get: Callable[[], Any] | None = None, post: Callable[[], Any] | None = None, wish: str = "auto"
) -> Iterator[Started]:
    app = Flask(__name__)
    app.add_url_rule("/page", "page", get or (lambda: "page"))
    app.add_url_rule("/order", "order", post or (lambda: "ordered"), methods=["POST"])
    told: list[str] = []
    settings = Settings(
        Budget.parse("1x"),
        1,
        Path.cwd(),
        search=SearchSettings(level=0),
        tunables={"state.fork": wish},
    )
    with prepared(settings, OneApplication(app), None) as ready:
        check = SelfCheck(ready.executor.repeat, reference_individuals(ready.endpoints, [None]))
        with last_resort(settings, ready, check, told.append) as resort:
            yield Started(ready, resort, told)


def one_call(endpoint: str) -> Individual:
    return Individual((Call(endpoint, (), 1),))


def numbering() -> Callable[[], str]:
    numbers = (str(number) for number in itertools.count(1))
    return lambda: next(numbers)


def once() -> Callable[[], str]:
    seen = iter(["first"])
    return lambda: next(seen, "later")


@forking
def test_a_page_that_moves_before_the_search_moves_it_to_forks() -> None:
    with started(get=once()) as search:
        assert [search.answer("GET /page") for _ in range(3)] == ["first"] * 3
        assert search.resort.check.notices() == []
        (line,) = search.told
        state = search.resort.findings["state"]
    assert line == f"state    {state}"
    assert state.startswith("fork (GET /page answers another text), each test in a process of")


@forking
def test_what_a_test_leaves_is_seen_after_it_in_its_process() -> None:
    shut = threading.Event()

    def page() -> tuple[str, int]:
        return ("shut", 503) if shut.is_set() else ("open", 200)

    with started(get=page, post=lambda: shut.set() or "done") as search:
        search.resort.move("asked")
        assert search.resort.leftover(one_call("GET /page")) == ""
        assert search.resort.leftover(one_call("POST /order")) == "GET /page answers 503, not 200"
        assert search.resort.leftover(one_call("POST /order")) != ""  # each time: it is undone
        assert search.answer("GET /page") == "open"


@pytest.mark.slow("searches run in the process")
@forking
def test_a_test_of_the_archive_shows_what_no_page_does() -> None:
    with started(post=once()) as search:
        assert search.told == []
        assert [search.answer("POST /order") for _ in range(2)] == ["first", "later"]
        search.resort.consider()
        assert search.told == []
        search.resort.consider([one_call("GET /page"), one_call("POST /order")])
        assert [search.answer("POST /order") for _ in range(2)] == ["first", "first"]
        search.resort.consider([one_call("POST /order")])
    assert [line[:42] for line in search.told] == ["state    fork (POST /order answers another"]


@pytest.mark.slow("searches run in the process")
@forking
def test_a_look_ends_when_patience_does() -> None:
    with started(post=once()) as search:
        search.answer("POST /order")
        search.resort.patience = 0.0
        search.resort.consider([one_call("GET /page"), one_call("POST /order")])
        assert search.told == []
        search.resort.consider([one_call("POST /order")])
        assert len(search.told) == 1


def exhausted() -> Callable[[], Any]:
    numbers = iter(range(3))
    return lambda: "left" if next(numbers, None) is not None else ("none left", 410)


@pytest.mark.slow("searches run in the process")
@forking
def test_another_status_is_state_whatever_the_texts_do() -> None:
    with started(post=exhausted()) as search:
        assert [search.answer("POST /order") for _ in range(4)] == [*["left"] * 3, "none left"]
        search.resort.consider([one_call("POST /order")])
    assert search.told[0].startswith("state    fork (POST /order answers 410, not 200)")


@forking
def test_a_text_that_is_another_one_each_time_is_not_worth_the_speed() -> None:
    with started(get=numbering(), post=numbering()) as search:
        search.resort.consider([one_call("GET /page"), one_call("POST /order")])
        assert search.told == []


@pytest.mark.slow("searches run in the process")
@forking
@pytest.mark.parametrize(
    "unstable",
    [
        lambda: str(time.time_ns()),
        lambda: str(uuid.uuid4()),
        lambda: str(random.random()),
        lambda: str(os.getpid()),
        lambda: f"{int(time.time() * 20)}",
    ],
)
def test_what_varies_anyway_moves_nothing(unstable: Callable[[], str]) -> None:
    with started(get=unstable, post=unstable) as search:
        search.resort.consider([one_call("POST /order")])
        assert search.told == []


@forking
def test_a_fork_that_fails_where_the_process_does_not_is_no_help() -> None:
    process = os.getpid()
    numbers = numbering()

    def page() -> str:
        return "page" if os.getpid() == process else str(1 // 0)

    def order() -> str:
        return numbers() if os.getpid() == process else str(1 // 0)

    with started(get=page, post=order) as search:
        assert search.resort.hindrance == "GET /page answers 500, not 200 in one"
    with started(post=order) as search:
        search.resort.consider([one_call("POST /order")])
        assert search.told == []


@forking
def test_forks_on_demand_and_never() -> None:
    with started(post=numbering(), wish="always") as search:
        assert [search.answer("POST /order") for _ in range(2)] == ["1", "1"]
        assert search.told == []
        assert search.resort.findings["state"].startswith("fork (state.fork=always), each")
    with started(get=numbering(), wish="never") as search:
        assert search.answer("GET /page") != search.answer("GET /page")
        assert search.resort.hindrance == "state.fork=never"
    with pytest.raises(InvalidSetting, match="one of auto, always, never, not 'alway'"):
        parse_tunables(["state.fork=alway"])


@pytest.mark.parametrize("wish", ["auto", "always"])
def test_beside_other_threads_the_search_goes_on_as_it_is(wish: str) -> None:
    done = threading.Event()
    thread = threading.Thread(target=done.wait, name="scheduler")
    thread.start()
    try:
        with started(get=numbering(), wish=wish) as search:
            assert search.answer("GET /page") != search.answer("GET /page")
            hindrance = search.resort.hindrance
            findings = asked_findings(search_settings(wish), search.ready)
    finally:
        done.set()
        thread.join()
    assert hindrance == "forking is not safe beside other threads (scheduler)"
    told = [f"state.fork=always has no effect: {hindrance}"] if wish == "always" else []
    assert (search.told, findings) == (told, {})


def search_settings(wish: str) -> Settings:
    return Settings(Budget.parse("1x"), 1, Path.cwd(), tunables={"state.fork": wish})


def test_a_platform_without_forks_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("pytest_evosearch.execution.forked.forks.os.fork", raising=False)
    with started(get=numbering()) as search:
        assert search.resort.hindrance == "this platform cannot fork processes"
        assert search.answer("GET /page") != "1"


def archive_of(**individuals: Individual) -> Any:
    return SimpleNamespace(
        covered={target: SimpleNamespace(individual=one) for target, one in individuals.items()}
    )


def test_the_longest_tests_are_compared_and_those_that_name_what_they_have_not_made() -> None:
    """A file that an earlier test has put is found by one call, which no long test shows."""
    long = Individual(tuple(Call("PUT /files/{name}", (), label) for label in range(3)))
    longer = Individual((*long.calls, Call("GET /files/{name}", (), 3)))
    found = one_call("GET /files/{name}")
    archive = archive_of(a=long, b=longer, c=found, d=one_call("GET /files"), e=found)
    assert experienced_tests(archive, 1) == [longer, found]
    assert experienced_tests(archive, 3) == [longer, long, found]


def test_tests_of_faults_are_compared_with_nothing() -> None:
    archive = SimpleNamespace(covered={"fault x": SimpleNamespace(individual=one_call("GET /x"))})
    assert experienced_tests(archive, 3) == []  # type: ignore[arg-type]
