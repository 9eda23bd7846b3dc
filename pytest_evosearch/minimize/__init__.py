"""Makes tests short and suites small without losing a target.

Works on evaluations through callables that it is handed; never executes by itself.  May
import `problem`, `genes`, `settings`, `core`, `errors`.
"""

from __future__ import annotations
