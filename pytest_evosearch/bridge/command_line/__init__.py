"""Options: on the command line, in ini files and of pytest itself, and whether they can be used.

`pytest_options` turns the table `settings.options.OPTIONS` into options of pytest, and what was
given into `Settings`; `named_places` looks at the files and folders that they name, `project_root`
says where the project begins, `requirements` what a search needs; `own_options` and
`loading_options` are the options of others that count in verification, too.

Imports `bridge.internals` only.
"""

from __future__ import annotations
