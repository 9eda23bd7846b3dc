"""One model of a run's outcome, and its renderings.

May import `problem`, `settings`, `core`, `errors`.
"""

from __future__ import annotations
