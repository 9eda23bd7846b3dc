"""Finds the application of a project, as people name it and as its own tests make it.

Start at `discovery`.

Where to find a decision:

- how an application is found without fixtures: `discovery`; how the project's tests make it,
  `factory_calls`
- which variables of the environment are missing, and which of them have a stand-in:
  `unset_variables`
- which routes a program adds, which functions start a server: `programs`, `server_starts`,
  `program_text`
- what is mounted below the application: `mounted`
- what is served and cannot be searched: `unsearchable`
"""

from __future__ import annotations
