"""Turns executed tests into modules that people keep: plan, names, text, files, verification.

Start at `writer`.  May import `problem`, `sut`, `settings`, `core` and `errors`, and runs pytest
only as a separate process; `harvest`, `strength`, `engine` and `bridge` import it.

Where to find a decision:

- how a suite is written, in which order: `writer`; where tests are until they are verified,
  `stage`; what became of it, `written_suite`
"""

from __future__ import annotations
