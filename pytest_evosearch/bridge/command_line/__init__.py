"""Options: on the command line, in ini files and of pytest itself, and whether they can be used.

`pytest_options` turns the table `settings.options.OPTIONS` into options of pytest, and what was
given into `Settings`; `named_places` looks at the files and folders that they name, `project_root`
says where the project begins, `requirements` what a search needs; `own_options` and
`loading_options` are the options of others that count in verification, too.

Imports `bridge.internals` only.

Where to find a decision:

- whether the files, folders and packages that options name can be used: `named_places`
- which folder is the project, if pytest is started below its root folder: `project_root`
- what a search needs that a project may have in too old a version: `requirements`
- which options of pytest itself count in verification: `loading_options`
- which options of the project's own `conftest.py` count in verification: `own_options`
"""

from __future__ import annotations
