"""Assertions that detect changes of the application, with answers in a table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from contextlib import contextmanager
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace

from pytest_evosearch.core.isolation import json
from pytest_evosearch.execution.mutating.live_mutants import LiveMutant
from pytest_evosearch.execution.mutating.live_mutants import LoadedSource
from pytest_evosearch.harvest.telling_facts import FEWEST_HELD
from pytest_evosearch.harvest.telling_facts import TellingFacts
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.write.content.facts import act_facts
from pytest_evosearch.write.content.specimen import Corpus
from pytest_evosearch.write.content.specimen import FollowUp
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.content.telling_texts import Wording

ITEM = {f"field_{number}": "a" * number for number in range(20)}
"""So large that a test asserts a part of it."""

SHOW, ADD, LIST = "GET /item", "POST /items", "GET /items"


def answered(endpoint: str, body: object, kind: str = "application/json") -> Exchange:
    method, path = endpoint.split(" ")
    content = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    return Exchange(Request(method, path), Response(200, (("Content-Type", kind),), content))


@dataclass
class Application:
    """Answers calls as it is, or as a mutant does."""

    usual: dict[str, Exchange]
    changed: dict[str, Exchange]
    number: int = 1
    runs: list[str] = field(default_factory=list)
    mutated: bool = False

    def all(self) -> Iterator[LiveMutant]:
        for number in range(self.number):
            yield LiveMutant("line shop.py:1", LoadedSource("shop.py", "shop.py", ""), "", number)

    def running(self, _mutant: LiveMutant) -> AbstractContextManager[None] | None:
        @contextmanager
        def changing() -> Iterator[None]:
            self.mutated = True
            yield
            self.mutated = False

        return changing()

    def repeat(self, individual: Individual) -> tuple[Exchange, ...]:
        self.runs += [one.endpoint for one in individual]
        known = {**self.usual, **self.changed} if self.mutated else self.usual
        return tuple(known[one.endpoint] for one in individual)

    def beside(self, individual: Individual) -> list[Call]:
        return [Call(LIST, (), individual.next_label)] if LIST in self.usual else []

    def ended(self, specimen: Specimen, read: Call) -> Specimen | None:
        assert specimen.individual is not None
        calls = Individual((*specimen.individual.calls, read))
        follow_up = FollowUp(self.usual[read.endpoint], "[]")
        return replace(specimen, follow_up=follow_up, individual=calls)


def specimen_of(application: Application, endpoint: str) -> Specimen:
    return Specimen(
        (application.usual[endpoint],),
        covered=frozenset(("line shop.py:1",)),
        individual=Individual((Call(endpoint, (), 1),)),
    )


def improved(application: Application, specimen: Specimen, most: int = 100) -> Specimen:
    given = application, application.repeat, application, Corpus(), most
    (found,) = TellingFacts(*given, lambda: False).improved([specimen])
    return found


def test_a_field_that_no_assertion_shows_is_asserted_where_a_change_shows_in_it() -> None:
    other = {**ITEM, "field_19": "other"}
    application = Application({SHOW: answered(SHOW, ITEM)}, {SHOW: answered(SHOW, other)})

    found = improved(application, specimen_of(application, SHOW))

    assert found.telling.further == (("json", "field_19"),)
    kinds = [(one.path, one.value) for one in act_facts(found, 0, Corpus())]
    assert kinds[-1] == (("field_19",), "a" * 19)


def test_what_is_unstable_is_not_asserted() -> None:
    other = {**ITEM, "field_19": "other"}
    application = Application({SHOW: answered(SHOW, ITEM)}, {SHOW: answered(SHOW, other)})
    specimen = specimen_of(application, SHOW)
    unstable = {(0, ("json", "field_19")): "changes with the clock"}

    assert improved(application, replace(specimen, unstable=unstable)).telling.further == ()


def test_nothing_is_added_where_an_assertion_fails() -> None:
    other = {**ITEM, "field_0": "other", "field_19": "other"}
    application = Application({SHOW: answered(SHOW, ITEM)}, {SHOW: answered(SHOW, other)})

    assert improved(application, specimen_of(application, SHOW)).telling.further == ()


def test_a_text_that_no_change_shows_goes_where_another_one_shows_them() -> None:
    page, other = (f"<p>{name}</p><p>Miller street</p>" for name in ("Ann Lee", "Bob Ray"))
    page, other = (answered(SHOW, one, "text/html") for one in (page, other))
    corpus = Corpus(wording=Wording.of("<h1>Members</h1>"))

    def texts(number: int) -> list[object]:
        application = Application({SHOW: page}, {SHOW: other}, number)
        telling = TellingFacts(
            application, application.repeat, application, corpus, 100, lambda: False
        )
        (found,) = telling.improved([specimen_of(application, SHOW)])
        return [one.value for one in act_facts(found, 0, corpus) if one.kind == "contains"]

    assert texts(1) == [">Ann Lee<", ">Miller street<"]
    assert texts(FEWEST_HELD) == [">Ann Lee<"]


def test_a_write_ends_with_the_read_that_shows_a_change() -> None:
    application = Application(
        {ADD: answered(ADD, {"done": True}), LIST: answered(LIST, ["a"])},
        {LIST: answered(LIST, [])},
    )

    found = improved(application, specimen_of(application, ADD))

    assert [one.request.endpoint for one in found.steps] == [ADD, LIST]


def test_executions_are_counted_and_mutants_are_spread_over_the_code() -> None:
    application = Application({SHOW: answered(SHOW, ITEM)}, {}, number=100)

    improved(application, specimen_of(application, SHOW), most=31)

    assert 10 <= len(application.runs) <= 31
