"""Finds texts that are numbers, when the code parses or compares them."""

from __future__ import annotations

from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.filling.sent_values import Sent
from pytest_evosearch.problem.http.filling.sent_values import sent_values

LOOKS_PER_TARGET = 12
"""Comparisons of one target to examine; by then its inputs are known."""

CONFIRMATIONS = 2
"""Different values that the code must treat as numbers: a 1 may also be a length."""

_MOST_CONFIRMED = 2_000


class ConversionWatcher:
    """Tells the model which text parameters the application converts, and to what type."""

    def __init__(self, model: EndpointModel) -> None:
        self._model = model
        self._looks: dict[tuple[str, str], int] = {}
        self._confirmed: dict[tuple[str, tuple[Location, str]], dict[int | float, None]] = {}

    def learn(self, observation: Observation) -> None:
        """Examine the new comparisons of one executed individual."""
        sent: list[Sent] | None = None
        looks = self._looks
        for comparison in observation.comparisons:
            place = (comparison.target, comparison.relation)
            times = looks.get(place, 0)
            if times >= LOOKS_PER_TARGET:
                continue
            looks[place] = times + 1
            if sent is None:
                sent = [
                    value
                    for value in sent_values(observation.individual, observation.exchanges)
                    if isinstance(value.value, str) and value.key[0] is not Location.JSON
                ]
            if sent:
                self._examine(comparison, sent)

    def _examine(self, comparison: Comparison, sent: list[Sent]) -> None:
        observed = comparison.observed
        if comparison.relation == "parse":
            kind = comparison.wanted
            for value in sent:
                if value.value == observed and isinstance(kind, str):
                    self._model.learn_conversion(value.endpoint, value.key, kind)
        elif isinstance(observed, (int, float)) and not isinstance(observed, bool):
            for value in sent:
                if _reads_as(value.value, observed):
                    self._confirm(value, observed)

    def _confirm(self, value: Sent, number: float) -> None:
        if len(self._confirmed) > _MOST_CONFIRMED:
            self._confirmed.clear()
        numbers = self._confirmed.setdefault((value.endpoint, value.key), {})
        numbers[number] = None
        if len(numbers) >= CONFIRMATIONS:
            kind = "int" if all(isinstance(each, int) for each in numbers) else "float"
            self._model.learn_conversion(value.endpoint, value.key, kind)


def _reads_as(text: object, number: float) -> bool:
    try:
        return float(str(text)) == number
    except (ValueError, OverflowError):
        return False
