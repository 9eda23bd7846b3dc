"""Runs a search for units: functions and classes that are called without HTTP.

Start at `unit_run`.  Imports `problem.units`, `execution.units`, `harvest` and `write.units`;
`engine.run` imports it.

Where to find a decision:

- how such a run proceeds: `unit_run`; its search, `unit_search`; after it, `unit_minimizing`;
  what it reports, `unit_rows`
- which units follow the search of an application: `added_units`; for how many a budget suffices:
  `affordable_units`; that their tests hold beside those of the application: `beside_requests`
- which relations between units hold: `unit_relations`
- whether tests await coroutines, and with which mark: `event_loops`
- what a result counts as, a fault, a refusal or nothing: `unit_judging`
"""

from __future__ import annotations
