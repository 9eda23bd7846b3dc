"""Finds the application of a project, by usual names and as the project's own tests make it.

Start at `discovery`.  Imports `sut.servers` and `sut.database_servers`; `sut.documents`,
`sut.users` and packages above `sut` import it.

Where to find a decision:

- how an application is found without fixtures: `discovery`; how the project's tests make it,
  `factory_calls`
- which environment variables are missing, and which of them get a stand-in: `unset_variables`
- which variables the flask command reads from files: `dotenv_files`
- which settings only the starting function sets: `late_settings`
- which routes a program adds, which functions start a server: `programs`, `server_starts`,
  `program_text`
- which libraries are newer than the project states: `stated_versions`; which package one of them
  lacks: `absent_packages`
- whether an application serves the project, or only what a test needs: `own_endpoints`
- what is mounted below the application: `mounted`
- what is served and cannot be searched: `unsearchable`
"""

from __future__ import annotations
