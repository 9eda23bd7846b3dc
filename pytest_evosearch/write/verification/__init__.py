"""Written tests in fresh interpreters: run, measured, repaired, and tidied up after.

Imports `modules`, and copies `plugins`.  Start at `verify`.

Where to find a decision:

- under which circumstances a test must hold: `circumstances.ALL`,
  `circumstances.joined_where_possible`
- which circumstances share an interpreter, by forks: `warm`, and `write.plugins.apart`
- what is not run again, as it has held before: `proven_tests`
- how long each run may take: `limits`; what is said where time did not suffice, `extent`
- what a project itself does not bear: `bearing`
- what failing tests get: `repair`; what the log of a run says, `verdicts`
- what is added to the written `conftest.py`: `additions` (`locking`, `collecting`), `restoring`,
  `restored_servers`
- what a run leaves in the project: `tidying`, and `write.plugins.traces`
"""

from __future__ import annotations
