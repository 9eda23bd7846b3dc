"""Everything that knows pytest: options, fixtures, the session, the terminal.

With `hookspecs` and `plugin` the only room that imports pytest.  Four packages:

- `command_line`: options, and whether they can be used;
- `imports`: what has to happen before the application is imported;
- `applications`: where the application comes from;
- `hook_wiring`: the hooks of a project, as plain functions for the engine.

On top: `session` (start here) runs a search in the place of the tests, `pytest_host` brings the
application to the engine, and `internals` holds all that pytest offers only privately.
"""

from __future__ import annotations
