"""Search algorithms and what they share: archive, schedules, selection, linkage.

Knows nothing of HTTP, Flask, pytest or the clock: it sees individuals through
`problem.search_problem.Problem` and outcomes through `problem.evaluation.Evaluation`.  May import
`problem.search_problem`, `problem.evaluation`, `settings`, `core` and `errors`.

Where to find a decision:

- what is tried next: one module for each algorithm, with its pseudo-code on top
- how parameters move while the budget is spent (MIO's too): `schedule`
- which tests are kept: `archive`, and `population` for one target
- what moves between islands: `migration`
- when a search ends before its budget: `stopping`
"""

from __future__ import annotations
