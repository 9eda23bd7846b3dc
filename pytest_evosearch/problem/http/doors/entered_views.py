"""Says whether a call has entered its view: a hook or a decorator turns callers away before it."""

from __future__ import annotations

from pytest_evosearch.core.targets import LINE
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.core.targets import subject_of
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.endpoint import operation_of
from pytest_evosearch.problem.http.exchanges.exchange import Observation


class EnteredViews:
    """Knows the files whose lines are seen when they run."""

    def __init__(self, model: EndpointModel) -> None:
        self._model = model
        self._seen: set[str] = set()
        """Paths of files, as in the names of targets."""

    def stopped_before(self, observation: Observation) -> bool:
        """Say whether the view of a look's last call surely did not run."""
        endpoint = self._model.endpoint(observation.individual.calls[-1].endpoint)
        places = [subject_of(one) for one in observation.reached if kind_of(one) == LINE]
        self._seen.update(path for path, _line, _label in places)
        view = endpoint.view
        if view is None or operation_of(endpoint.template):
            return False
        names = [path for path in self._seen if view.file.endswith(f"/{path}")]
        return bool(names) and not any(
            path in names and line in view.inside for path, line, _label in places
        )
