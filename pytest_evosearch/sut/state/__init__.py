"""Brings back what an application changes: databases, globals, files, caches, randomness.

Start at `reset`.

Where to find a decision:

- how state comes back: `reset`; for users, docs/state.md
- which transactions fixtures hold open: `held_transactions`
- when each request of the written tests needs a context of its own: `context_variables`
- what handlers do to files, undone and refused: `written_files`; folders that a process changes,
  `folder_copies`
- which globals are kept, `globals_state`; what hangs at the application, `application_state`;
  what counts as state, and how one container comes back,
  `kept_values`
- how many containers are compared with their copies at once: `unchanged_containers`
- which databases the written `conftest.py` can put back: `lasting_databases`
"""

from __future__ import annotations
