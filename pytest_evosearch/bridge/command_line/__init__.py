"""Options: on the command line, in ini files and of pytest itself, and whether they can be used.

`pytest_options` (start here) turns the table `settings.options.OPTIONS` into options of pytest, and
given values into `Settings`.  `named_places` checks the files and folders that options name.
`project_root` finds where the project begins.  `requirements` checks what a search needs.
`own_options` and `loading_options` find other options that verification needs, too.

Imports only `bridge.internals` of its neighbours.

Where to find a decision:

- whether the files, folders and packages that options name can be used: `named_places`
- which folder is the project, if pytest is started below its root folder: `project_root`
- which versions of other packages a search needs: `requirements`
- which options of pytest itself count in verification: `loading_options`
- which options of the project's own `conftest.py` count in verification: `own_options`
"""

from __future__ import annotations
