"""Search algorithms and what they share: archive, schedules, selection, linkage.

Start at `ask_and_tell`, the interface of every algorithm.  Nothing here uses HTTP, Flask, pytest or
a clock.  An algorithm sees tests through `problem.search_problem.Problem` and outcomes through
`problem.evaluation.Evaluation`.

Imports `problem.search_problem`, `problem.evaluation`, `screens`, `settings`, `core` and `errors`;
`harvest`, `engine` and `bridge` import it.

Where to find a decision:

- what is tried next: one module for each algorithm, with its pseudo-code on top
- how parameters change while the budget is spent (those of MIO, too): `schedule`
- which tests are kept: `archive`, and `population` for one target
- what is exchanged between islands: `migration`
- which action of a page is next: `selecting`
- when a search ends before its budget: `stopping`
"""

from __future__ import annotations
