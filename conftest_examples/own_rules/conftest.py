"""Rules and a search of one's own: an oracle for a promise of ours, an algorithm to compare with.

``pytest --evosearch=30s --evosearch-algorithm=hill-climbing`` searches with the latter.
"""

import pytest
from basket import create_app


@pytest.fixture
def app():
    app = create_app()
    app.testing = True
    return app


@pytest.fixture
def client(app):
    return app.test_client()


class CachingOracle:
    """We promise: every answer to a GET says how long it may be kept."""

    code = "caching-unsaid"

    def judge(self, exchange, call):
        from pytest_evosearch.hook_types import Expectation
        from pytest_evosearch.hook_types import finding

        request, response = exchange.request, exchange.response
        if response is None or request.method != "GET" or response.status != 200:
            return
        if response.header("Cache-Control") is None:
            wanted = Expectation("header", "Cache-Control", phrase="says_how_long_to_keep")
            message = "an answer without Cache-Control"
            yield finding(self.code, request.endpoint, call, "200", message, wanted)


class HillClimbing:
    """Varies the last test that covered anything new, and starts anew after ten in vain."""

    patience = 10

    def __init__(self, context):
        self._context = context
        self._best = None
        self._in_vain = 0
        self._covered = 0

    def ask(self):
        problem, rng = self._context.problem, self._context.rng
        if self._best is None or self._in_vain > self.patience:
            self._in_vain = 0
            return [problem.sample(rng)]
        return [problem.mutate(self._best, rng)]

    def tell(self, evaluations):
        for evaluation in evaluations:
            self._in_vain += 1
            if len(self._context.archive.covered) > self._covered:
                self._best, self._in_vain = evaluation.individual, 0
                self._covered = len(self._context.archive.covered)

    def welcome(self, evaluations):
        """Tests that it did not ask for are in the archive: it begins where they end."""
        self._covered = len(self._context.archive.covered)


@pytest.hookimpl(optionalhook=True)
def pytest_evosearch_oracles():
    return [CachingOracle()]


@pytest.hookimpl(optionalhook=True)
def pytest_evosearch_make_algorithm(settings):
    return HillClimbing if settings.algorithm == "hill-climbing" else None
