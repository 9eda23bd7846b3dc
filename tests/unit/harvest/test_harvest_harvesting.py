from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace
from typing import Any

import pytest

from pytest_evosearch.core.targets import fault_target
from pytest_evosearch.execution.full_evaluation import FullEvaluation
from pytest_evosearch.execution.repeating.recollection import Recollection
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.harvest.background import Allowance
from pytest_evosearch.harvest.background import Background
from pytest_evosearch.harvest.candidate_tests import INDIVIDUALS_A_TEST
from pytest_evosearch.harvest.duties import distinct
from pytest_evosearch.harvest.duties import needed
from pytest_evosearch.harvest.finished_tests import FinishedTests
from pytest_evosearch.harvest.harvesting import Harvest
from pytest_evosearch.harvest.losses import BEFORE_A_FAULT
from pytest_evosearch.harvest.losses import TOO_LATE
from pytest_evosearch.harvest.obstacles import HANGS
from pytest_evosearch.harvest.proving import betterment
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.exchange import Origin
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.observed import exchanges_of
from pytest_evosearch.problem.http.exchanges.reported_faults import NO_SERVER_ERROR
from pytest_evosearch.problem.http.exchanges.reported_faults import Expectation
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault
from pytest_evosearch.problem.http.exchanges.seen_inside import Crash
from pytest_evosearch.problem.http.exchanges.seen_inside import Evidence
from pytest_evosearch.search.archive import Archive
from pytest_evosearch.settings.phase_shares import LEAST_TESTS
from pytest_evosearch.settings.phase_shares import READY_EXECUTIONS
from pytest_evosearch.write.content.specimen import FollowUp
from pytest_evosearch.write.content.specimen import Specimen

OK = Exchange(Request("GET", "/"), Response(200))


def crash(kind: str) -> Crash:
    return Crash(kind, "builtins", "message", "shop.py", 7, "view", "Traceback ...")


@dataclass
class Handler:
    """What happens when an endpoint is called."""

    exchange: Exchange = OK
    covers: tuple[str, ...] = ()
    after: str = ""
    """Only after this endpoint it covers anything."""
    by_input: dict[str, str] = field(default_factory=dict)
    """Name of an input -> what is covered besides where it is sent."""


@dataclass
class FakeExecutor:
    """Executes individuals on handlers in a table."""

    handlers: dict[str, Handler]
    disturbances: tuple[str, ...] = ()
    harms: tuple[str, ...] = ()
    repeated: Callable[[Exchange], Exchange] = lambda exchange: exchange
    drew_random_numbers: bool = False
    draws: int = 0
    identities: int = 0
    threads: int = 0
    recollection: Recollection = field(default_factory=Recollection)
    executed: list[Individual] = field(default_factory=list)

    def evaluate_fully(self, individual: Individual) -> FullEvaluation[Individual]:
        self.executed.append(individual)
        covered, faults, earlier = [], [], set()
        for index, call in enumerate(individual.calls):
            handler = self.handlers[call.endpoint]
            reached = not handler.after or handler.after in earlier
            sent = {given.name for given in call.inputs}
            more = [target for name, target in handler.by_input.items() if name in sent]
            covered.append(frozenset((*handler.covers, *more) if reached else ()))
            for target in covered[-1]:
                if target.startswith("fault"):
                    code = target.split()[1] if "path-traversal" in target else "crash"
                    unseen = Expectation("unseen") if code != "crash" else NO_SERVER_ERROR
                    found = Fault(code, call.endpoint, "X", "a:7", "m", index, target, unseen)
                    faults.append(found)
            earlier.add(call.endpoint)
        exchanges = self._exchanges(individual)
        observation = Observation(individual, exchanges, (), tuple(faults))
        scores = dict.fromkeys(frozenset().union(*covered), 1.0)
        evaluation = Evaluation(individual, scores, (len(individual), 0), observation)
        return FullEvaluation(evaluation, tuple(covered), self.disturbances, self.harms)

    def evaluate(self, individual: Individual, *, guided: bool) -> Evaluation[Individual]:
        assert guided  # asked for what the last call compares, which is nothing here
        return self.evaluate_fully(individual).evaluation

    def repeat(
        self, individual: Individual, condition: object, interpreter: int = 0
    ) -> tuple[Exchange, ...]:
        return tuple(self.repeated(exchange) for exchange in self._exchanges(individual))

    def _exchanges(self, individual: Individual) -> tuple[Exchange, ...]:
        return tuple(
            replace(
                self.handlers[call.endpoint].exchange,
                request=Request(
                    *call.endpoint.split(" ", 1),
                    json=[given.name for given in call.inputs],
                ),
            )
            for call in individual.calls
        )


def calls(*endpoints: str) -> Individual:
    return Individual(tuple(Call(key, (), label) for label, key in enumerate(endpoints, 1)))


def harvested(
    executor: FakeExecutor,
    *individuals: Individual,
    seconds: float = math.inf,
    grace: float = math.inf,
    freezes: frozenset[str] = frozenset(),
    finished: FinishedTests | None = None,
    expected_seconds: Callable[[Individual], float] = lambda _individual: 0.0,
    forgotten: tuple[str, ...] = (),
) -> tuple[Harvest, list[Specimen]]:
    archive: Archive[Individual] = Archive()
    for individual in individuals:
        archive.offer(executor.evaluate_fully(individual).evaluation)
    archive.forget(forgotten)
    executor.executed.clear()
    any_executor: Any = executor
    # Each execution takes a second.
    harvest = Harvest(
        any_executor,
        archive,
        Allowance(
            lambda: seconds - len(executor.executed),
            50,
            lambda: grace,
            expected_seconds=expected_seconds,
        ),
        Background(freezes=freezes, finished=FinishedTests() if finished is None else finished),
    )
    return harvest, harvest.specimens()


def story(specimen: Specimen) -> list[str]:
    return [exchange.request.endpoint for exchange in specimen.exchanges]


def test_test_ends_with_the_call_that_covers_and_keeps_only_what_it_needs() -> None:
    executor = FakeExecutor(
        {
            "GET /noise": Handler(),
            "POST /items": Handler(covers=("line create",)),
            "GET /items": Handler(covers=("line list",), after="POST /items"),
        }
    )
    long = calls("GET /noise", "POST /items", "GET /noise", "GET /items", "GET /noise")
    _, specimens = harvested(executor, long)
    assert sorted(map(story, specimens)) == [["POST /items", "GET /items"]]


def test_what_another_harvest_has_minimised_is_executed_and_not_minimised_again() -> None:
    executor = FakeExecutor(
        {
            "GET /noise": Handler(),
            "POST /items": Handler(covers=("line create",)),
            "GET /items": Handler(covers=("line list",), after="POST /items"),
            "GET /other": Handler(covers=("line other",)),
        }
    )
    found = calls("GET /noise", "POST /items", "GET /noise", "GET /items", "GET /noise")
    known = FinishedTests()
    _, alone = harvested(executor, found, finished=known)
    known.adopt(known.news())
    further = calls("GET /noise", "GET /other")
    harvested(executor, found, further)
    taken = len(executor.executed)

    _, specimens = harvested(executor, found, further, finished=known)

    assert alone[0] in specimens
    assert sorted(map(story, specimens)) == [["GET /other"], ["POST /items", "GET /items"]]
    assert found not in executor.executed
    assert len(executor.executed) < taken


def test_what_another_harvest_has_repeated_is_repeated_once_and_keeps_what_differed() -> None:
    repeated: list[Exchange] = []

    def other(exchange: Exchange) -> Exchange:
        repeated.append(exchange)
        return replace(exchange, response=Response(200, (), str(len(repeated)).encode()))

    executor = FakeExecutor({"GET /a": Handler(covers=("line a",))}, repeated=other)
    known = FinishedTests()
    _, alone = harvested(executor, calls("GET /a"), finished=known)
    often = len(repeated)
    known.adopt(known.news())
    executor.repeated = lambda exchange: repeated.append(exchange) or exchange

    _, specimens = harvested(executor, calls("GET /a"), finished=known)

    assert often > 1
    assert len(repeated) == often + 1
    assert specimens[0].unstable == alone[0].unstable
    assert specimens[0].unstable


def test_a_short_form_that_does_not_do_here_is_not_taken() -> None:
    executor = FakeExecutor({"GET /noise": Handler(), "POST /items": Handler(covers=("line a",))})
    found = calls("GET /noise", "POST /items")
    elsewhere = FinishedTests()
    elsewhere.note(found, calls("GET /noise"), frozenset({"line a"}))
    known = FinishedTests()
    known.adopt(elsewhere.news())

    _, specimens = harvested(executor, found, finished=known)

    assert list(map(story, specimens)) == [["POST /items"]]


def test_a_test_prepares_without_what_matters_to_other_tests() -> None:
    discount = Input(Location.JSON, "discount", TextGene(current="student"))
    executor = FakeExecutor(
        {
            "POST /orders": Handler(covers=("line order",), by_input={"discount": "line percent"}),
            "GET /orders": Handler(covers=("line list",), after="POST /orders"),
        }
    )
    order = Call("POST /orders", (discount,), 1)
    listing = Individual((order, Call("GET /orders", (), 2)))
    _, specimens = harvested(executor, listing)

    sent = {story(one)[-1]: [step.request.json for step in one.steps] for one in specimens}
    assert sent == {"POST /orders": [["discount"]], "GET /orders": [[], []]}


def test_what_one_test_alone_covers_outlives_its_vain_parts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = {"size": "branch shop.py:4 true", "flavour": "branch shop.py:6 true"}
    executor = FakeExecutor({"GET /search": Handler(covers=("line a",), by_input=found)})

    def bare(test: FullEvaluation[Individual], *_others: object) -> FullEvaluation[Individual]:
        (call,) = test.evaluation.individual.calls
        return executor.evaluate_fully(Individual((replace(call, inputs=()),)))

    monkeypatch.setattr(betterment, "without_vain_parts", bare)
    asked = [
        Individual((Call("GET /search", (Input(Location.QUERY, name, TextGene(current="a")),), 1),))
        for name in found
    ]
    _, specimens = harvested(executor, *asked)

    assert sorted(str(one.steps[0].request.json) for one in specimens) == [
        "['flavour']",
        "['size']",
    ]


def seen(*endpoints: str, covered: str, fault: Fault | None = None) -> Specimen:
    requests = [Request(*endpoint.split(" ")) for endpoint in endpoints]
    exchanges = tuple(Exchange(request, Response(200)) for request in requests)
    return Specimen(exchanges, covered=frozenset(covered), fault=fault)


def test_what_others_cover_as_well_is_left_out_and_the_read_that_shows_an_effect_stays() -> None:
    plain = seen("POST /items", covered="ab")
    showing = replace(plain, follow_up=FollowUp(OK))
    other = seen("GET /items", covered="c")

    assert needed([plain, showing, other], frozenset("abc")) == [showing, other]
    assert needed([showing, seen("GET /items", covered="abc")], frozenset("abc"))[0] is showing


def test_an_effect_that_another_test_shows_as_well_is_shown_once() -> None:
    showing = replace(seen("POST /items", covered="ab"), follow_up=FollowUp(OK))
    longer = replace(seen("GET /", "POST /items", covered="abd"), follow_up=FollowUp(OK))
    other = seen("GET /items", covered="c")
    reading = seen("POST /items", "GET /", covered="abd")

    assert needed([showing, longer, other], frozenset("abc")) == [showing, other]
    assert needed([showing, other, reading], frozenset("abcd")) == [other, reading]


def test_tests_that_come_down_to_the_same_requests_are_one() -> None:
    fault = Fault("crash", "POST /items", "X", "shop.py:7", "m", 0, "fault X")
    first, second = seen("POST /items", covered="ab"), seen("POST /items", covered="c")
    failing = seen("POST /items", covered="ab", fault=fault)

    found = distinct([first, failing, second, failing])

    assert found == [replace(first, targets=first.targets | second.targets), failing]


def test_tokens_that_are_drawn_each_time_tell_no_tests_apart() -> None:
    origins = {("header", "Authorization"): Origin(0, ("json", "token"), "Bearer ")}
    tests = [
        Specimen(
            (
                Exchange(Request("POST", "/login"), OK.response),
                Exchange(
                    Request("GET", "/me", headers=(("Authorization", token),), origins=origins),
                    OK.response,
                ),
            )
        )
        for token in ("Bearer x", "Bearer y")
    ]

    assert distinct(tests) == tests[:1]


def test_a_test_of_a_fault_is_never_left_out_and_vouches_for_nothing() -> None:
    fault = Fault("crash", "POST /items", "X", "shop.py:7", "m", 0, "fault X")
    plain = seen("POST /items", covered="ab")
    failing = seen("POST /items", covered="ab", fault=fault)

    assert needed([plain, failing], frozenset("ab")) == [plain, failing]


def test_what_only_a_crash_passed_by_has_no_test_and_a_reason() -> None:
    executor = FakeExecutor({"GET /crash": Handler(covers=("fault X", "line alone"))})
    harvest, specimens = harvested(executor, calls("GET /crash"))

    assert [specimen.targets for specimen in specimens] == [{"fault X"}]
    assert harvest.why_untested("line alone") == BEFORE_A_FAULT
    assert harvest.why_untested("fault X") == ""


@pytest.mark.parametrize("explained", ["fault X", "fault Y"])
def test_a_crash_that_another_fault_explains_is_not_what_a_test_shows(explained: str) -> None:
    executor = FakeExecutor({"GET /crash": Handler(covers=("fault X", "fault Y"))})
    _, [specimen] = harvested(executor, calls("GET /crash"), forgotten=(explained,))

    assert specimen.fault is not None
    assert {specimen.fault.target} == {"fault X", "fault Y"} - {explained}


def test_what_a_crash_passed_by_is_covered_by_a_test_that_ends_well() -> None:
    executor = FakeExecutor(
        {
            "GET /crash": Handler(covers=("fault X", "line both")),
            "GET /fine": Handler(covers=("line both", "line fine")),
        }
    )
    _, specimens = harvested(executor, calls("GET /crash"), calls("GET /fine"))
    found = {one.exchanges[-1].request.endpoint: one.targets for one in specimens}
    assert found == {"GET /crash": {"fault X"}, "GET /fine": {"line both", "line fine"}}


def test_target_that_nobody_asked_for_keeps_no_test() -> None:
    one, two = seen("GET /a", covered="ax"), seen("GET /b", "GET /a", covered="ab")

    assert needed([one, two], frozenset("ab")) == [two]


def test_second_round_does_not_try_again_what_did_not_do() -> None:
    executor = FakeExecutor(
        {
            "GET /noise": Handler(),
            "GET /a": Handler(covers=("line a", "line both"), after="GET /noise"),
            "GET /b": Handler(covers=("line b", "line both"), after="GET /noise"),
        }
    )
    harvested(executor, calls("GET /noise", "GET /a"), calls("GET /noise", "GET /b"))
    stories = [tuple(call.endpoint for call in one.calls) for one in executor.executed]
    assert stories.count(("GET /a",)) == 1


def test_every_target_is_answered_for() -> None:
    executor = FakeExecutor(
        {
            "GET /a": Handler(covers=("line a", "line both")),
            "GET /b": Handler(covers=("line b", "line both")),
        }
    )
    _, specimens = harvested(executor, calls("GET /a"), calls("GET /b"))
    answered = frozenset().union(*(specimen.covered for specimen in specimens))
    assert answered == {"line a", "line b", "line both"}


def test_fault_is_handed_on() -> None:
    target = fault_target("GET /a", "KeyError", "shop.py:7")
    broken = replace(OK, response=None, crash=crash("KeyError"))
    executor = FakeExecutor({"GET /a": Handler(broken, (target,))})
    _, (specimen,) = harvested(executor, calls("GET /a"))
    assert specimen.fault is not None
    assert specimen.fault.target == target


@pytest.mark.parametrize(
    ("exchange", "reason"),
    [
        (replace(OK, response=None, frozen=True), "does not end within the time limit"),
        (replace(OK, response=None, crash=crash("KeyboardInterrupt")), "end the run of the tests"),
        (
            replace(OK, response=Response(503), evidence=Evidence(contacted=("scanner",))),
            "a service that it needs is not there: answered 503",
        ),
        (replace(OK, slept=2.5), "the handlers sleep 2.5 seconds"),
        (replace(OK, sent=False), "refuses to send"),
    ],
)
def test_what_cannot_be_a_test_is_dropped_with_its_reason(exchange: Exchange, reason: str) -> None:
    executor = FakeExecutor({"GET /a": Handler(exchange, ("line a",))})
    harvest, specimens = harvested(executor, calls("GET /a"))
    assert specimens == []
    (row,) = harvest.losses.dropped
    assert row.name == "GET /a"
    assert reason in row.reason


def test_call_that_takes_too_long_is_not_minimised() -> None:
    frozen = replace(OK, response=None, frozen=True)
    executor = FakeExecutor({"GET /a": Handler(), "GET /b": Handler(frozen, ("line b",))})
    harvested(executor, calls("GET /a", "GET /a", "GET /b"))
    assert len(executor.executed) == 2


def test_call_that_is_known_not_to_end_is_not_executed_again() -> None:
    freeze = fault_target("GET /hangs", "Freeze", "?")
    handlers = {"GET /hangs": Handler(covers=(freeze,)), "GET /": Handler(covers=("line a",))}
    executor = FakeExecutor(handlers)
    individuals = calls("GET /hangs"), calls("GET /")
    harvest, specimens = harvested(executor, *individuals, freezes=frozenset((freeze,)))
    assert [story(one) for one in specimens] == [["GET /"]]
    assert "GET /hangs" not in [call.endpoint for one in executor.executed for call in one.calls]
    assert harvest.why_untested(freeze) == HANGS
    assert ("GET /hangs", HANGS) in [(row.name, row.reason) for row in harvest.losses.dropped]


def test_test_that_needs_a_crash_before_its_act_is_dropped() -> None:
    broken = replace(OK, response=None, crash=crash("KeyError"))
    executor = FakeExecutor(
        {"GET /a": Handler(broken), "GET /b": Handler(covers=("line b",), after="GET /a")}
    )
    harvest, specimens = harvested(executor, calls("GET /a", "GET /b"))
    assert specimens == []
    assert harvest.losses.dropped[0].reason == "it needs an earlier call that crashes"


def test_all_crashes_that_a_test_does_not_need_go_at_once() -> None:
    broken = replace(OK, response=None, crash=crash("KeyError"))
    handlers = {name: Handler(broken) for name in ("GET /a", "GET /b")}
    needing = Handler(covers=("line d",), after="GET /c")
    executor = FakeExecutor({**handlers, "GET /c": Handler(), "GET /d": needing})
    _, (specimen,) = harvested(executor, calls("GET /a", "GET /c", "GET /b", "GET /d"))

    assert [one.request.endpoint for one in specimen.exchanges] == ["GET /c", "GET /d"]


def test_side_effects_are_no_part_of_a_test() -> None:
    handlers = {"GET /a": Handler(covers=("line a",))}
    moving = FakeExecutor(handlers, disturbances=("changes the working directory",))
    harvest, specimens = harvested(moving, calls("GET /a"))
    assert specimens == []
    assert "it changes the working directory" in harvest.losses.dropped[0].reason
    harming = FakeExecutor(handlers, harms=("remove /srv/shop.db",))
    harvest, specimens = harvested(harming, calls("GET /a"))
    assert specimens == []
    assert harvest.losses.dropped[0].reason == "in a real run it would remove /srv/shop.db"
    assert harvest.why_untested("line a") == "in a real run it would remove /srv/shop.db"


def test_what_lies_on_this_machine_is_no_matter_of_a_test() -> None:
    opening = Handler(covers=("line a", "fault path-traversal"))
    executor = FakeExecutor({"GET /a": opening, "GET /b": Handler(covers=("line b",))})

    harvest, specimens = harvested(executor, calls("GET /a"), calls("GET /b"))

    assert [story(one) for one in specimens] == [["GET /b"]]
    assert harvest.losses.dropped[0].reason == "it depends on this machine: m"


def test_status_that_changes_makes_a_test_unstable() -> None:
    executor = FakeExecutor(
        {"GET /a": Handler(covers=("line a",))},
        repeated=lambda exchange: replace(exchange, response=Response(503)),
    )
    harvest, specimens = harvested(executor, calls("GET /a"))
    assert specimens == []
    assert harvest.losses.dropped[0].reason.startswith("unstable: its status")


def test_a_status_that_differed_in_the_search_makes_a_test_unstable() -> None:
    executor = FakeExecutor({"GET /a": Handler(covers=("line a",))})
    (once,) = exchanges_of(executor.evaluate_fully(calls("GET /a")).evaluation)
    for exchange in (once, replace(once, response=Response(503)), once):
        executor.recollection.note([exchange])
    harvest, specimens = harvested(executor, calls("GET /a"))
    assert specimens == []
    assert harvest.losses.dropped[0].reason == "unstable: its status changes between runs"


class Demanding(FakeExecutor):
    """An application in which ``GET /end`` needs every single call before it."""

    def evaluate_fully(self, individual: Individual) -> FullEvaluation[Individual]:
        all_there = len(individual) == 9
        covers = ("line end",) if all_there else ()
        self.handlers = {**self.handlers, "GET /end": Handler(covers=covers)}
        return super().evaluate_fully(individual)


class Leaking(FakeExecutor):
    """Its faults are shown by answers that are no failures."""

    def evaluate_fully(self, individual: Individual) -> FullEvaluation[Individual]:
        found = super().evaluate_fully(individual)
        observation = found.evaluation.observation
        assert isinstance(observation, Observation)
        shown = Expectation("lacks", "secret")
        faults = tuple(replace(one, code="leak", expectation=shown) for one in observation.faults)
        seen = replace(found.evaluation, observation=replace(observation, faults=faults))
        return replace(found, evaluation=seen)


def test_tests_share_the_time_that_is_left() -> None:
    """The first one alone, of which nothing can be left out, would use up all of it."""
    handlers = {"POST /a": Handler(), "GET /noise": Handler()}
    handlers["GET /b"] = Handler(covers=("line b",), after="POST /a")
    needy = calls(*["GET /noise"] * 8, "GET /end")
    noisy = calls("POST /a", *["GET /noise"] * 9, "GET /b")

    _, specimens = harvested(Demanding(handlers), needy, noisy, seconds=24)

    assert [story(specimen) for specimen in specimens][-1] == ["POST /a", "GET /b"]


@pytest.mark.parametrize(("noise", "status"), [("GET /noise", 200), ("POST /noise", 400)])
def test_calls_that_change_nothing_go_even_where_no_time_is_left(noise: str, status: int) -> None:
    answer = replace(OK, response=Response(status))
    handlers = {"POST /a": Handler(), noise: Handler(answer)}
    handlers["GET /b"] = Handler(covers=("line b",), after="POST /a")
    noisy = calls("POST /a", *[noise] * 8, "GET /b")

    _, (specimen,) = harvested(FakeExecutor(handlers), noisy, seconds=1)

    assert story(specimen) == ["POST /a", "GET /b"]


def test_out_of_time_still_drops_calls_that_have_nothing_to_do_with_the_act() -> None:
    executor = FakeExecutor(
        {"GET /noise": Handler(), "GET /a": Handler(covers=("line a",))},
    )
    _, specimens = harvested(executor, calls("GET /noise", "GET /a"), seconds=0)
    assert [story(specimen) for specimen in specimens] == [["GET /a"]]


def test_when_no_time_is_left_only_what_freezes_is_lost() -> None:
    frozen = replace(OK, response=None, frozen=True)
    handlers = {f"GET /{name}": Handler(covers=(f"line {name}",)) for name in "bcd"}
    executor = FakeExecutor({"GET /a": Handler(frozen, ("line a",)), **handlers})
    individuals = [calls("GET /a"), *map(calls, handlers)]
    harvest, specimens = harvested(executor, *individuals, seconds=3, grace=1.0)

    assert [story(specimen) for specimen in specimens] == [["GET /b"], ["GET /c"], ["GET /d"]]
    assert [(row.name, row.reason) for row in harvest.losses.dropped] == [("GET /a", HANGS)]


def test_tests_that_come_much_too_late_are_told_and_not_executed_one_by_one() -> None:
    executor = FakeExecutor(
        {f"GET /{number}": Handler(covers=(f"line {number}",)) for number in range(60)}
    )
    executor.handlers["GET /noise"] = Handler()
    individuals = [calls(key, "GET /noise") for key in executor.handlers]
    harvest, specimens = harvested(executor, *individuals, seconds=60, grace=5.0)
    late = [row.name for row in harvest.losses.dropped if row.reason == TOO_LATE]
    assert len(specimens) + len(late) == 60
    assert 10 < len(specimens) < 30
    assert harvest.why_untested("line 59") == TOO_LATE


def test_however_late_it_is_a_few_tests_are_finished() -> None:
    handlers = {f"GET /{number}": Handler(covers=(f"line {number}",)) for number in range(9)}
    executor = FakeExecutor(handlers)
    harvest, specimens = harvested(executor, *map(calls, handlers), seconds=-500, grace=0.25)

    assert len(specimens) == LEAST_TESTS
    assert len(harvest.losses.dropped) == 9 - LEAST_TESTS


def test_tests_that_come_too_late_stay_where_they_were_executed_as_they_would_be_written() -> None:
    executor = FakeExecutor(
        {f"GET /{number}": Handler(covers=(f"line {number}",)) for number in range(60)}
    )
    individuals = list(map(calls, executor.handlers))

    harvest, specimens = harvested(executor, *individuals, seconds=60, grace=5.0)

    assert not harvest.losses.dropped
    assert len(specimens) == 60
    assert len(executor.executed) < 60 + 60  # not all of them once more


@pytest.mark.parametrize(("seconds", "first"), [(60.0, "GET /z"), (math.inf, "GET /0")])
def test_slow_tests_wait_until_the_others_had_their_turn(seconds: float, first: str) -> None:
    executor = FakeExecutor({f"GET /{name}": Handler(covers=(f"line {name}",)) for name in "0123z"})
    individuals = list(map(calls, executor.handlers))

    def expected(individual: Individual) -> float:
        return 0.01 if individual.calls[0].endpoint == "GET /z" else 1.0

    harvested(executor, *individuals, seconds=seconds, expected_seconds=expected)
    assert executor.executed[0].calls[0].endpoint == first


def test_a_fault_that_is_no_crash_has_its_test_also_when_time_is_over() -> None:
    leak = fault_target("GET /leaks", "leak", "?")
    handlers = {"GET /noise": Handler(), "GET /leaks": Handler(covers=(leak,))}
    executor = Leaking(handlers)
    _, specimens = harvested(executor, calls("GET /noise", "GET /leaks"), seconds=0, grace=2)
    assert [one.fault.target for one in specimens if one.fault is not None] == [leak]


def test_headers_that_nothing_needs_go_where_no_time_is_left_to_try_anything() -> None:
    token = Input(Location.HEADER, "Authorization", TextGene(current="a"))
    key = Input(Location.HEADER, "X-Key", TextGene(current="a"))
    executor = FakeExecutor(
        {
            "GET /a": Handler(covers=("line a",)),
            "GET /b": Handler(by_input={"X-Key": "line key"}),
        }
    )
    individuals = [
        Individual((Call("GET /a", (token,), 1),)),
        Individual((Call("GET /b", (key,), 1),)),
    ]

    _, specimens = harvested(executor, *individuals, seconds=0, grace=2)

    assert {one.act.request.template: one.act.request.json for one in specimens} == {
        "/a": [],
        "/b": ["X-Key"],
    }


def test_crashes_that_a_test_does_not_need_go_where_no_time_is_left_to_try_anything() -> None:
    broken = replace(OK, response=None, crash=crash("KeyError"))
    handlers = {"POST /a": Handler(), "GET /noise": Handler(broken)}
    handlers["GET /b"] = Handler(covers=("line b",), after="POST /a")
    handlers["GET /c"] = Handler(covers=("line c",))
    individuals = [calls("POST /a", "GET /noise", "GET /b"), calls("GET /c")]

    _, specimens = harvested(FakeExecutor(handlers), *individuals, seconds=0, grace=2)

    assert {tuple(story(specimen)) for specimen in specimens} == {
        ("POST /a", "GET /b"),
        ("GET /c",),
    }


def test_same_archive_gives_the_same_tests() -> None:
    def stories() -> list[list[str]]:
        handlers = {
            f"GET /{name}": Handler(covers=(f"line {name}", "line shared")) for name in "abcdef"
        }
        individuals = [calls(f"GET /{one}", f"GET /{two}") for one in "abc" for two in "def"]
        return list(map(story, harvested(FakeExecutor(handlers), *individuals)[1]))

    assert stories() == stories()


def test_of_more_tests_than_there_is_time_for_those_of_faults_come_first_then_those_of_most() -> (
    None
):
    fault = fault_target("GET /c", "KeyError", "shop.py:7")
    handlers = {
        "GET /a": Handler(covers=("line a",)),
        "GET /b": Handler(covers=("line b", "line bb")),
        "GET /c": Handler(replace(OK, crash=crash("KeyError")), (fault,)),
    }
    executor: Any = FakeExecutor(handlers)
    archive: Archive[Individual] = Archive()
    for key in handlers:
        archive.offer(executor.evaluate_fully(calls(key)).evaluation)
    asked: list[float | None] = []

    def most(executions: int, seconds: float | None) -> float:
        asked.append(seconds)
        return 2 if executions == READY_EXECUTIONS else 1  # all are as they would be written

    harvest = Harvest(executor, archive, Allowance(lambda: math.inf, 50, most_tests=most))
    specimens = harvest.specimens()

    assert sorted(story(specimen) for specimen in specimens) == [["GET /b"], ["GET /c"]]
    assert [(row.name, row.reason) for row in harvest.losses.dropped] == [("GET /a", TOO_LATE)]
    assert asked == [None, 0.0, 0.0]  # later as long as it took, which is nothing here


def one_test(_executions: int, _seconds: float | None) -> float:
    return 1


def two_tests_or_three(executions: int, _seconds: float | None) -> float:
    return 3 if executions == READY_EXECUTIONS else 2


def test_more_tests_have_time_where_they_were_executed_as_they_would_be_written() -> None:
    handlers = {f"GET /{index}": Handler(covers=(f"line {index}",)) for index in range(9)}
    handlers["GET /noise"] = Handler()
    kept = {}
    for further in ((), ("GET /noise",)):
        executor: Any = FakeExecutor(handlers)
        archive: Archive[Individual] = Archive()
        for index in range(9):
            archive.offer(executor.evaluate_fully(calls(f"GET /{index}", *further)).evaluation)
        given = Allowance(lambda: 1.0, 50, most_tests=two_tests_or_three)
        kept[further] = len(Harvest(executor, archive, given).specimens())

    assert kept == {(): 3, ("GET /noise",): 2}


def test_far_more_tests_than_there_is_time_for_are_not_even_executed() -> None:
    fault = fault_target("GET /9", "KeyError", "shop.py:7")
    handlers = {f"GET /{index}": Handler(covers=(f"line {index}",)) for index in range(9)}
    handlers["GET /9"] = Handler(replace(OK, crash=crash("KeyError")), (fault,))
    executor: Any = FakeExecutor(handlers)
    archive: Archive[Individual] = Archive()
    for key in handlers:
        archive.offer(executor.evaluate_fully(calls(key)).evaluation)
    executor.executed.clear()

    harvest = Harvest(executor, archive, Allowance(lambda: 0.0, 50, most_tests=one_test))
    (specimen,) = harvest.specimens()

    assert story(specimen) == ["GET /9"]
    assert len({one.calls[0].endpoint for one in executor.executed}) == INDIVIDUALS_A_TEST
    assert len(harvest.losses.dropped) == 9
    assert harvest.why_untested("line 8") == TOO_LATE


def test_quick_tests_are_kept_where_there_is_no_time_for_all() -> None:
    handlers = {f"GET /{name}": Handler(covers=(f"line {name}",)) for name in "01234z"}
    executor: Any = FakeExecutor(handlers)
    archive: Archive[Individual] = Archive()
    for key in handlers:
        archive.offer(executor.evaluate_fully(calls(key)).evaluation)

    def expected(individual: Individual) -> float:
        return 0.01 if individual.calls[0].endpoint == "GET /z" else 2.0

    given = Allowance(lambda: 60.0, 50, most_tests=one_test, expected_seconds=expected)
    (specimen,) = Harvest(executor, archive, given).specimens()
    assert story(specimen) == ["GET /z"]
