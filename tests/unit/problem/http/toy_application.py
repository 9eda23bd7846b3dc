"""Applications in miniature: plain functions that answer requests and report what they compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import field
from random import Random

from pytest_evosearch.core.isolation import json
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import Parameter
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.request import build_request
from pytest_evosearch.problem.http.exchanges.seen_inside import Read
from pytest_evosearch.problem.http.exchanges.segments import SegmentGene
from pytest_evosearch.problem.http.exchanges.size import size_of
from pytest_evosearch.problem.http.http_problem import HttpProblem


@dataclass
class Probe:
    """Stands in for the instrumentation while one test runs."""

    scores: dict[str, float] = field(default_factory=dict)
    comparisons: list[Comparison] = field(default_factory=list)
    reads: list[Read] = field(default_factory=list)

    def note(self, target: str, score: float) -> None:
        self.scores[target] = max(score, self.scores.get(target, 0.0))

    def branch(
        self,
        label: str,
        outcome: bool,
        relation: str,
        observed: object,
        wanted: object,
        near: float = 0.1,
    ) -> bool:
        """Report a condition; `near` is the score of the side that was not taken."""
        taken, missed = ("true", "false") if outcome else ("false", "true")
        self.note(f"branch toy.py:{label} {taken}", 1.0)
        self.note(f"branch toy.py:{label} {missed}", near)
        target = f"branch toy.py:{label} {missed}"
        self.comparisons.append(Comparison(target, relation, observed, wanted))
        return outcome

    def equal(self, label: str, observed: object, wanted: object) -> bool:
        return self.branch(
            label, observed == wanted, "==", observed, wanted, nearness(observed, wanted)
        )

    def less(self, label: str, observed: float, wanted: float) -> bool:
        near = 1 / (1.1 + abs(observed - wanted))
        return self.branch(label, observed < wanted, "<", observed, wanted, near)

    def read(self, location: str, *path: str | int, present: bool, default: object = None) -> None:
        self.reads.append(Read(location, path, present, None, default))


def nearness(observed: object, wanted: object) -> float:
    """Return a score for how close two operands are to equality, below 1."""
    if isinstance(observed, (int, float)) and isinstance(wanted, (int, float)):
        return 0.1 + 0.8 / (1 + abs(observed - wanted))
    if isinstance(observed, str) and isinstance(wanted, str):
        distance = 65536 * abs(len(observed) - len(wanted))
        pairs = zip(observed, wanted, strict=False)
        distance += sum(abs(ord(a) - ord(b)) for a, b in pairs)
        return 0.1 + 0.8 / (1 + distance)
    return 0.05


Handler = Callable[[Request, Probe, dict[str, object]], Response]


def answer(status: int, document: object = None) -> Response:
    body = b"" if document is None else json.dumps(document).encode()
    return Response(status, (("Content-Type", "application/json"),), body)


def page(text: str, status: int = 200) -> Response:
    return Response(status, (("Content-Type", "text/html; charset=utf-8"),), text.encode())


def path_endpoint(template: str, method: str = "GET", **genes: object) -> Endpoint:
    """Make an endpoint whose placeholders are plain texts unless a gene is given."""
    endpoint = Endpoint(method, template, "toy")
    parameters = tuple(
        Parameter(Location.PATH, name, genes.get(name, SegmentGene()), required=True)
        for name in endpoint.placeholders
    )
    return Endpoint(method, template, "toy", parameters)


class ToyApplication:
    """Executes individuals on handlers, from an empty state each time."""

    def __init__(self, handlers: dict[str, Handler]) -> None:
        self.handlers = handlers
        self.covered: set[str] = set()
        self.evaluations = 0

    def evaluate(self, individual: Individual, problem: HttpProblem) -> Evaluation[Individual]:
        self.evaluations += 1
        state: dict[str, object] = {}
        probe = Probe()
        earlier: dict[int, tuple[int, Exchange]] = {}
        for index, call in enumerate(individual.calls):
            request = build_request(call, problem.known.model.endpoint(call.endpoint), earlier)
            probe.reads = []
            response = self.handlers[call.endpoint](request, probe, state)
            probe.note(f"status {call.endpoint} {response.status}", 1.0)
            exchange = Exchange(request, response, call.user, reads=tuple(probe.reads))
            earlier[call.label] = (index, exchange)
        exchanges = tuple(exchange for _index, exchange in earlier.values())
        observation = Observation(individual, exchanges, probe.comparisons)
        live = {
            target: score for target, score in probe.scores.items() if target not in self.covered
        }
        self.covered.update(target for target, score in live.items() if score >= 1.0)
        return Evaluation(individual, live, size_of(individual), observation)


def climb(
    application: ToyApplication,
    problem: HttpProblem,
    needle: str,
    budget: int,
    seed: int = 1,
    fresh_share: float = 0.2,
) -> int:
    """Search like a small MIO; return the evaluations until `needle` is covered, 0 for never."""
    rng = Random(seed)
    best: dict[str, tuple[float, Individual]] = {}
    tries: dict[str, int] = {}
    while application.evaluations < budget:
        open_targets = [target for target in best if target not in application.covered]
        if not open_targets or rng.random() < fresh_share:
            individual = problem.sample(rng)
        else:
            focus = min(open_targets, key=lambda target: tries.get(target, 0))
            tries[focus] = tries.get(focus, 0) + 1
            individual = problem.mutate(best[focus][1], rng, focus)
        evaluation = application.evaluate(individual, problem)
        problem.learn(evaluation)
        for target, score in evaluation.scores.items():
            if score >= best.get(target, (0.0, individual))[0]:
                if target not in best or score > best[target][0]:
                    tries[target] = 0
                best[target] = (score, individual)
        if needle in application.covered:
            return application.evaluations
    return 0
