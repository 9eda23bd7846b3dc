from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from pytest_evosearch.core.targets import status_target
from pytest_evosearch.engine.inquiry import Tests
from pytest_evosearch.engine.malformed import AT_ONCE
from pytest_evosearch.engine.malformed import answers_of
from pytest_evosearch.engine.malformed import in_turns
from pytest_evosearch.engine.malformed import malformed_tests
from pytest_evosearch.engine.malformed import representatives
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import Parameter
from pytest_evosearch.problem.http.exchanges.endpoint import View
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault
from pytest_evosearch.problem.http.inquiries.malformed_inquiry import HUGE
from pytest_evosearch.search.archive import Archive

LOGIN = Call("POST /login", (), 1, "ann")
ADD = Call("POST /notes", (), 2, "ann")
TITLES = tuple(
    Parameter(Location.FORM, name, TextGene(current="a")) for name in ("title", "text", "tags")
)


def archive_of(*answers: tuple[str, int, Individual]) -> Archive[Individual]:
    archive = Archive[Individual]()
    for key, status, individual in answers:
        archive.offer(Evaluation(individual, {status_target(key, status): 1.0}, (1, 0)))
    return archive


def single(key: str, user: str | None = None, label: int = 1) -> Individual:
    return Individual((Call(key, (), label, user),))


def test_a_test_ends_with_the_call_that_it_represents() -> None:
    long = Individual((LOGIN, ADD, Call("GET /", (), 3, "ann")))

    assert representatives(archive_of(("POST /notes", 200, long)), "ann") == [
        Individual((LOGIN, ADD))
    ]


def test_a_view_at_many_addresses_has_its_turn_at_one_of_them_first() -> None:
    sheet, share = View("app.py", 20, 28), View("app.py", 50, 53)
    views = {"/sheets/1": sheet, "/sheets/2": sheet, "/share": share, "/other": None}
    model = EndpointModel([Endpoint("GET", path, path, view=view) for path, view in views.items()])
    keys = [f"GET {path}" for path in views]
    asked = [
        *((key, 200, single(key)) for key in keys),
        ("GET /unknown/", 200, single("GET /unknown/")),
    ]
    asked.append(("GET /sheets/2", 404, single("GET /sheets/2")))

    first, others = in_turns(answers_of(archive_of(*asked)), model)

    assert [(key, status) for _target, key, status in others] == [("GET /sheets/2", 200)]
    assert {(key, status) for _target, key, status in first} == {
        *((key, 200) for key in keys if key != "GET /sheets/2"),
        ("GET /unknown/", 200),
        ("GET /sheets/2", 404),
    }


def test_refusals_represent_endpoints_that_always_refuse() -> None:
    archive = archive_of(
        ("GET /a", 200, single("GET /a")),
        ("GET /a", 404, single("GET /a", "ann")),
        ("GET /b", 404, single("GET /b", "ann")),
        ("GET /c", 401, single("GET /c")),
    )

    assert representatives(archive, "ann") == [single("GET /a"), single("GET /b", "ann")]


def test_a_user_is_not_redirected_to_the_log_in() -> None:
    archive = archive_of(("POST /notes", 302, single("POST /notes")))

    assert representatives(archive, "ann") == [single("POST /notes", "ann")]
    assert representatives(archive, None) == [single("POST /notes")]


def test_bodies_come_first_and_each_endpoint_before_any_again() -> None:
    archive = archive_of(
        ("GET /", 200, single("GET /")),
        ("POST /a", 200, single("POST /a")),
        ("POST /a", 201, single("POST /a", "ann")),
        ("POST /b", 200, single("POST /b")),
    )

    found = representatives(archive, "ann")

    assert found == [
        single("POST /a"),
        single("POST /b"),
        single("GET /"),
        single("POST /a", "ann"),
    ]


def test_what_got_furthest_comes_last() -> None:
    archive = archive_of(("POST /a", 200, single("POST /a")))
    furthest = Individual((LOGIN, Call("POST /a", (), 2, "ann")))
    archive.offer(Evaluation(furthest, {"line a.py:1": 1.0, "line a.py:2": 1.0}, (2, 0)))

    assert representatives(archive, "ann") == [single("POST /a"), furthest]


class Application:
    """Notes what it is sent; crashes on some calls."""

    def __init__(self, archive: Archive[Individual], faults: tuple[int, ...] = ()) -> None:
        self.archive = archive
        self.faults = faults
        self.sent: list[Individual] = []

    def examine(self, individual: Individual) -> Observation:
        first = not self.sent
        self.sent.append(individual)
        calls = self.faults if first else ()
        faults = tuple(
            Fault("crash", "POST /notes", "KeyError", f"a.py:{call}", "", call, f"fault {call}")
            for call in calls
        )
        scores = {fault.target: 1.0 for fault in faults}
        self.archive.offer(Evaluation(individual, scores, (len(individual), 0)))
        return Observation(individual, (), (), faults)


def ask(tests: Tests, examine: Callable[[Individual], Observation]) -> None:
    with suppress(StopIteration):
        test = next(tests)
        while True:
            test = tests.send(examine(test))


def send(application: Application) -> None:
    model = EndpointModel([Endpoint("POST", "/notes", "add", TITLES)])
    tests = malformed_tests(model, application.archive, [Individual((LOGIN, ADD))])
    ask(tests, application.examine)


def test_several_malformed_calls_share_what_arranges_them() -> None:
    application = Application(Archive())
    send(application)

    assert [len(one) for one in application.sent] == [1 + AT_ONCE]
    assert application.sent[0].calls[0] == LOGIN
    labels = [call.label for call in application.sent[0]]
    assert len(set(labels)) == len(labels)


def test_what_shows_a_fault_is_sent_alone() -> None:
    application = Application(Archive(), faults=(2,))
    send(application)

    together, alone = application.sent
    assert alone.calls[0] == LOGIN
    assert [call.inputs for call in alone.calls[1:]] == [together.calls[2].inputs]


ITEMS = [f"/{name}/{{id}}" for name in "abcdef"]
PAGES = Parameter(Location.QUERY, "page", IntegerGene(current=1))


def test_what_crashes_other_endpoints_alike_is_asked_of_each_but_last() -> None:
    model = EndpointModel([Endpoint("GET", path, path, (PAGES,)) for path in ITEMS])
    identifier = Input(Location.PATH, "id", IntegerGene(current=1))
    sent: list[Individual] = []

    def crash_on_huge_numbers(individual: Individual) -> Observation:
        sent.append(individual)
        faults = tuple(
            Fault("crash", call.endpoint, "OverflowError", call.endpoint, "", place, "")
            for place, call in enumerate(individual)
            if any(given.gene.value() == HUGE for given in call.inputs)
        )
        return Observation(individual, (), (), faults)

    bases = [Individual((Call(f"GET {path}", (identifier,), 1),)) for path in ITEMS]
    ask(malformed_tests(model, Archive(), bases), crash_on_huge_numbers)

    huge = [[HUGE in values_of(call) for call in test] for test in sent]
    assert [one.index(True) for one in huge] == [0, 0, 0, 3, 3, 3]
    assert {call.endpoint for test in sent for call in test} == {f"GET {path}" for path in ITEMS}


def values_of(call: Call) -> list[object]:
    return [given.gene.value() for given in call.inputs]
