"""The types that hooks of a project import, in one module whose path stays.

Where these classes are defined may change from release to release; this module does not.  Import
it inside functions, so that a ``conftest.py`` stays valid where the plugin is not installed:

.. code-block:: python

    def judge(self, exchange, call):
        from pytest_evosearch.hook_types import Expectation, finding
"""

from __future__ import annotations

from pytest_evosearch.engine.extension_values import EndpointInfo
from pytest_evosearch.engine.extension_values import OutgoingRequest
from pytest_evosearch.engine.extension_values import ParameterInfo
from pytest_evosearch.engine.extension_values import WrittenModule
from pytest_evosearch.oracles.findings import finding
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.reported_faults import Expectation
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault
from pytest_evosearch.search.ask_and_tell import SearchAlgorithm
from pytest_evosearch.search.ask_and_tell import SearchContext
from pytest_evosearch.settings.checked import Settings

__all__ = [
    "EndpointInfo",
    "Exchange",
    "Expectation",
    "Fault",
    "OutgoingRequest",
    "ParameterInfo",
    "Request",
    "Response",
    "SearchAlgorithm",
    "SearchContext",
    "Settings",
    "WrittenModule",
    "finding",
]
