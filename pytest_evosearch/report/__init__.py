"""One model of a run's outcome, and its renderings.

May import `problem`, `instrument.probing.trace`, `settings`, `core`, `errors`.  The
templates of the page are data in `page`.

Where to find a decision:

- what the reports are made of: `outcome`; why lines are not covered, `reasons`
- which faults are one: `identity`
"""

from __future__ import annotations
