"""Connects everything: from settings and a host to an outcome.

    Settings, Host -> preparation -> loop -> harvest -> write -> Outcome

Only this package chooses implementations.  It uses neither pytest nor Flask: the host brings the
application, and the sinks show what happens.  Start at `run`; `bridge` imports it.

Where to find a decision:

- how one run proceeds: `run`; up to discovery `preparing.planned_run`, what a plan
  adds `plan_run`; else `search_run`, then the phases that `whole_run` lists; what is written
  after Ctrl-C: `phases`
- how the budget of time is divided: `settings.time_plan`; what is measured for it, and when a
  phase ends, `timetable`; among tests and runs, `harvest.allotment`,
  `write.verification.limits`
- what is searched, and what is watched during the search: `preparing`
- where a search starts: `starting_tests`; what it counts, `search_statistics`
- what is checked on purpose after a search: `checks`; each
  malformed call, `malformed`
- when each test runs in a forked process: `fork_fallback`
- when state counts as not restored: `selfcheck`
- what a dying run leaves behind: `recovery`; what a run knows that started again because a call
  hung in C: `beginnings`
- what a second process finishes during the search: `beside`, `finishing_run`
- how a search for functions and classes proceeds: `units.unit_run`
- why what the search covered is in no test: `phases.accounting`
- when a real browser visits pages: `browsing`
- what islands exchange: `islands`, `beside.mailbox`, `search.migration`
"""

from __future__ import annotations

from pytest_evosearch.engine.host import Host
from pytest_evosearch.engine.run import run

__all__ = ["Host", "run"]
