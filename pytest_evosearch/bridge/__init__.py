"""Everything that uses pytest: options, fixtures, the session, the terminal.

Only this package, `hookspecs` and `plugin` import pytest, and only `plugin` imports this package.
It has four packages:

- `command_line`: options, and whether they can be used;
- `imports`: what must happen before the application is imported;
- `applications`: where the application comes from;
- `hook_wiring`: the hooks of a project, as plain functions for the engine.

Start at `session`, which runs a search instead of the tests.  `pytest_host` brings the application
to the engine.

Where to find a decision:

- which options and applications are tried, in which order: `pytest_host`, then `applications`
- what Ctrl-C does, once and twice: `interrupts`; what is still written then, `engine.whole_run`
- which of the project's own tests are run to record what they send: `recorded_tests`
- what the user sees while a search runs: `terminal`; the words of its lines,
  `report.terminal_lines`
- what makes the exit code 1: `verdict`; which faults are new, `baseline` and `report.identity`
- how the processes of islands are started, kept apart and ended: `island_processes`
- whether and how the command starts again, if a call hangs in C: `first_command`
- what the user reads while a start takes long, and when it ends: `starting`
- which options of other plugins a search leaves out: `other_plugins`
- what a killed run left in the project: `dead_runs`; in databases on servers, `left_servers`
- what pytest offers only privately, from version 7.4 to 9: `internals`
"""

from __future__ import annotations
