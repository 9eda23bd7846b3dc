"""Calls that take far longer as their input grows.

The measure is the processor time of the thread that handles the call, so a busy machine makes no
difference.  Each size is measured twice, and the better time counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from itertools import pairwise

from pytest_evosearch.oracles.findings import UNSEEN
from pytest_evosearch.oracles.findings import finding
from pytest_evosearch.oracles.oracle import WithoutKnowledge
from pytest_evosearch.oracles.sent import sent_numbers
from pytest_evosearch.oracles.sent import sent_texts
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault

SLOW_SECONDS = 0.1
"""Seconds of processor time from which the largest input is slow; most calls take 1 ms."""

STEEP = 3.0
"""Factor of time for a text of twice the length; a loop inside a loop has factor four."""

STEADY = 5.0
"""Factor of time for a number ten times as large, from which the number is the reason."""

LONGEST_COMMON = 64
"""Characters up to which a text does not count as an input that grows."""


class SlowPathOracle(WithoutKnowledge):
    """Reports calls whose time grows faster than a text, or along with a number."""

    code = "slow-path"
    fewest_calls = 3
    explanation = "the time of a call grows out of proportion to the size of its input"

    def judge_sequence(self, exchanges: Sequence[Exchange]) -> Iterable[Fault]:
        """Yield a fault where three sizes of one input, each sent twice, show the growth."""
        if not any(exchange.seconds >= SLOW_SECONDS for exchange in exchanges):
            return
        groups: dict[str, list[tuple[int, Exchange]]] = {}
        for call, exchange in enumerate(exchanges):
            if exchange.response is not None and exchange.seconds:
                groups.setdefault(exchange.request.endpoint, []).append((call, exchange))
        for endpoint, group in groups.items():
            for what, step, growth in (("text", 2.0, STEEP), ("number", 10.0, STEADY)):
                times = _times_by_size(group, what)
                if _grows(times, step, growth):
                    slowest, fastest = times[max(times)], times[min(times)]
                    message = (
                        f"takes {slowest:.1f} s of processor time for a {what} {step**2:.0f} times "
                        f"as large as one that takes {fastest:.2f} s"
                    )
                    kind = f"grows with a {what}"
                    yield finding(self.code, endpoint, group[-1][0], kind, message, UNSEEN)


def _times_by_size(group: Sequence[tuple[int, Exchange]], what: str) -> dict[float, float]:
    """Return the best time for each size that was sent at least twice."""
    times: dict[float, list[float]] = {}
    for _call, exchange in group:
        size = _length(exchange.request) if what == "text" else _largest(exchange.request)
        times.setdefault(size, []).append(exchange.seconds)
    return {size: min(found) for size, found in times.items() if len(found) > 1}


def _length(request: Request) -> float:
    lengths = [len(text) for _place, text in sent_texts(request)]
    return float(sum(length for length in lengths if length > LONGEST_COMMON))


def _largest(request: Request) -> float:
    return max((abs(number) for number in sent_numbers(request)), default=0.0)


def _grows(times: Mapping[float, float], step: float, growth: float) -> bool:
    sizes = sorted(times)
    if len(sizes) < 3 or times[sizes[-1]] < SLOW_SECONDS:
        return False
    for smaller, larger in pairwise(sizes):
        if not 0.9 * step <= larger / max(smaller, 1.0) <= 1.1 * step:
            return False
        if times[larger] < growth * times[smaller]:
            return False
    return True
