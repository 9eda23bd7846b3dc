"""The interfaces of all oracles."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import field
from typing import Protocol
from typing import TypeAlias

from pytest_evosearch.core.failing.fence import Fence
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.errors import EvosearchError
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault

UNKNOWN_POSITION = "unknown"
"""Position of a fault whose line in the source is not known."""


class Oracle(Protocol):
    """Judges one exchange, as a pure function of it."""

    code: str
    """Stable code of its findings, by which users switch it on and off."""

    def judge(self, exchange: Exchange, call: int) -> Iterable[Fault]:
        """Yield what is wrong with `exchange`, which is number `call` of its test."""
        ...


class SequenceOracle(Protocol):
    """Judges the exchanges of one test together, as a pure function of them."""

    code: str
    """Stable code of its findings, by which users switch it on and off."""
    fewest_calls: int
    """Number of calls below which it finds nothing; most tests are shorter and are skipped."""

    def judge_sequence(self, exchanges: Sequence[Exchange]) -> Iterable[Fault]:
        """Yield what is wrong; the `call` of a fault is the last call that is needed to see it."""
        ...


AnyOracle: TypeAlias = "Oracle | SequenceOracle"


@dataclass(frozen=True)
class Knowledge:
    """What oracles know about the application before the first call."""

    responses: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """Endpoint -> status (``200``, ``4XX``, ``default``) -> response of the OpenAPI document."""
    operations: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """Endpoint -> its operation in the OpenAPI document, as `Endpoint.operation` has it."""
    fields: Mapping[str, Mapping[str, Mapping[str, object]]] = field(default_factory=dict)
    """Endpoint -> the declared fields of its JSON body, as `Endpoint.fields` has them."""
    document: Mapping[str, object] = field(default_factory=dict)
    """The OpenAPI document, to which references lead; empty when there is none."""
    secrets: Mapping[str, str] = field(default_factory=dict)
    """Name of a setting -> its value, which no response may contain."""
    forged: Mapping[str, str] = field(default_factory=dict)
    """Forged token -> its kind, as far as tokens were forged so far (`sut.users.forged_tokens`)."""


class WithoutKnowledge:
    """An oracle that needs to know nothing beforehand."""

    def __init__(self, knowledge: Knowledge | None = None) -> None:
        pass


class DocumentedOracle(Protocol):
    """A class in the registry; its instances are oracles."""

    code: str
    explanation: str
    """One line that says what is wrong when the oracle reports something."""

    def __call__(self, knowledge: Knowledge) -> AnyOracle:
        """Return the oracle for one application."""
        ...


class Bench:
    """Some oracles that judge tests, one after another.

    What each oracle judges, a call or a test, is looked up once: there are many tests.
    """

    def __init__(self, oracles: Iterable[AnyOracle], fence: Fence | None = None) -> None:
        self._oracles = list(oracles)
        self._judges = [_judge_of(oracle) for oracle in self._oracles]
        self._fence = fence or Fence()

    def judged(self, exchanges: Sequence[Exchange]) -> list[Fault]:
        """Return all faults that the oracles find in the exchanges of one test.

        Where one fails, each judges alone, and the faults of the others count.  What a call does
        without a table that every installation has is no fault.
        """
        found = self._found(exchanges)
        sound = next((at for at, one in enumerate(exchanges) if one.done_without), len(exchanges))
        return [fault for fault in found if fault.call < sound]

    def _found(self, exchanges: Sequence[Exchange]) -> list[Fault]:
        try:
            return self._found_by_all(exchanges)
        except EvosearchError:
            raise
        except Exception:
            found: list[Fault] = []
            for oracle in self._oracles:
                alone, part = Bench([oracle]), f"the oracle {oracle.code}"
                found += self._fence.run(part, alone._found_by_all, exchanges, otherwise=())
            return found

    def _found_by_all(self, exchanges: Sequence[Exchange]) -> list[Fault]:
        number = len(exchanges)
        found: list[Fault] = []
        for fewest, of_test, of_call in self._judges:
            if of_call is not None:
                for call, exchange in enumerate(exchanges):
                    found += of_call(exchange, call)
            elif of_test is not None and number >= fewest:
                found += of_test(exchanges)
        return found


_OfTest: TypeAlias = "Callable[[Sequence[Exchange]], Iterable[Fault]]"
_OfCall: TypeAlias = "Callable[[Exchange, int], Iterable[Fault]]"


def _judge_of(oracle: AnyOracle) -> tuple[int, _OfTest | None, _OfCall | None]:
    """Return the fewest calls that an oracle needs, and its method for tests or for calls."""
    if hasattr(oracle, "judge"):
        return 0, None, oracle.judge
    return oracle.fewest_calls, oracle.judge_sequence, None


def judged(oracles: Iterable[AnyOracle], exchanges: Sequence[Exchange]) -> list[Fault]:
    """Return all faults that `oracles` find in the exchanges of one test."""
    return Bench(oracles).judged(exchanges)
