"""Restores what an application changes: databases, globals, files, caches, randomness.

Start at `reset`.  Imports `sut.database_servers`, `sut.fixture_texts`, `sut.shortcuts` and
`sut.watching`; `sut.rows`, `sut.users` and packages above `sut` import it.

Where to find a decision:

- how state is restored: `reset`; for users, docs/state.md
- which transactions fixtures hold open: `held_transactions`
- when each request of the written tests needs its own context: `context_variables`
- which changes of files are undone: `written_files`, or refused: `protected_files`;
  folders that a process changes, `folder_copies`
- which globals are kept: `globals_state`; which attributes of the application, `application_state`
- which objects of libraries are state: `library_objects`
- what counts as state, how many containers are compared at once and each is brought back:
  `kept_values`
- which objects names and views lead to, for fixtures: `held_objects`
- which databases the written `conftest.py` can restore: `lasting_databases`
- which values of the application a written test can read, and by which expression:
  `readable_places`
"""

from __future__ import annotations
