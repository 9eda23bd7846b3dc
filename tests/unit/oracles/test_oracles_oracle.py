from __future__ import annotations

from collections.abc import Iterable

from pytest_evosearch.core.failing.fence import Fence
from pytest_evosearch.oracles.oracle import Bench
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault
from pytest_evosearch.problem.http.exchanges.seen_inside import Evidence


class Complaining:
    code = "complaining"

    def judge(self, exchange: Exchange, call: int) -> Iterable[Fault]:
        yield Fault(self.code, "GET /", "kind", "unknown", "message", call, "fault GET / kind ?")


class Failing:
    code = "failing"

    def judge(self, exchange: Exchange, call: int) -> Iterable[Fault]:
        raise KeyError(call)


def test_an_oracle_that_fails_keeps_no_other_from_judging() -> None:
    fence = Fence()
    bench = Bench([Complaining(), Failing(), Complaining()], fence)
    found = bench.judged([Exchange(Request("GET", "/"), Response(200))])

    assert [fault.code for fault in found] == ["complaining", "complaining"]
    assert [mishap.part for mishap in fence.mishaps.values()] == ["the oracle failing"]


def test_nothing_is_a_fault_of_a_call_that_goes_on_without_a_table_or_of_a_later_one() -> None:
    sound = Exchange(Request("GET", "/"), Response(200))
    without = Exchange(Request("GET", "/"), Response(200), evidence=Evidence(absent=("film",)))
    found = Bench([Complaining()]).judged([sound, without, sound])

    assert [fault.call for fault in found] == [0]
