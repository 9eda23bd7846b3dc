"""One model of a run's outcome, and its renderings.

May import `problem`, `instrument.probing.trace`, `settings`, `core`, `errors`.  The
templates of the page are data in `page`.
"""

from __future__ import annotations
