"""Runs written tests in fresh interpreters: measures and repairs them, and cleans up.

Start at `verify`.  Imports `modules`, and copies `plugins`; `updating`, `strength`, `engine` and
`bridge` import it.

Where to find a decision:

- under which circumstances a test must hold: `circumstances.ALL`,
  `circumstances.joined_where_possible`
- how a run looks like the user's, with nothing of ours in its process: `plain_run`
- which runs set slow fixtures up once: `shared_set_ups`, and `write.plugins.set_up_once`
- what is not run again because it has held before: `proven_tests`
- how long each run may take: `limits`; what is reported where time did not suffice, `extent`
- what a project itself cannot withstand: `bearing`
- which written fixtures fail and are left out, before tests are judged by them: `fixture_trial`
- how failing tests are repaired: `repair`; what the log of a run says, `verdicts`
- what is added to the written `conftest.py`: `additions` (`locking`, `collecting`), `restoring`,
  `restored_servers`
- what a run leaves in the project: `tidying`, and `write.plugins.traces`
"""

from __future__ import annotations
