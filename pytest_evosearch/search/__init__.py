"""Search algorithms and what they share: archive, schedules, selection, linkage.

Has never heard of HTTP, Flask, pytest or the clock: it sees individuals through
`problem.base.Problem` and outcomes through `problem.evaluation.Evaluation`.  May import
`problem.base`, `problem.evaluation`, `settings`, `core` and `errors`.
"""

from __future__ import annotations
