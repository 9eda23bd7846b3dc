"""Wires everything: from settings and a host to an outcome.

    Settings, Host -> preparation -> loop -> harvest -> write -> Outcome

The only room that chooses implementations.  Knows neither pytest nor Flask: the host
brings the application, the sinks show what happens.
"""

from __future__ import annotations

from pytest_evosearch.engine.host import Host
from pytest_evosearch.engine.island_run import OutlyingRun
from pytest_evosearch.engine.run import run
from pytest_evosearch.engine.trial import search_application

__all__ = ["Host", "OutlyingRun", "run", "search_application"]
