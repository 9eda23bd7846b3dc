"""Searches with a budget of seconds end at most half a minute later, whatever the handlers do."""

from __future__ import annotations

import pytest
from test_hostile_forks import FORKS
from test_hostile_forks import WITHOUT_END
from test_hostile_process import EXITS
from test_hostile_process import HANGING
from test_hostile_process import SPOILERS

pytestmark = pytest.mark.slow("harm is done in a process namespace until a limit ends it")

SECONDS = 8.0


@pytest.mark.parametrize(
    "handlers",
    [
        pytest.param(FORKS, id="processes"),
        pytest.param(WITHOUT_END + HANGING, id="without-end"),
        pytest.param(SPOILERS + EXITS, id="spoilers"),
    ],
)
def test_a_run_ends_half_a_minute_after_its_budget(run_in_namespace, harmless, handlers) -> None:
    given = ["--evosearch-set=run.processes=16", "--evosearch-set=run.memory=0.05"]
    run = run_in_namespace({"app.py": harmless + handlers}, *given, seconds=SECONDS)
    run.is_well()
    # Where each test waits half a second for what it has left, eight seconds may be too short.
    assert run.writes("/ok") or handlers is FORKS, run.output
