"""What happens when modules are imported: this plugin's, instrumented ones, and early ones.

`instrumentation` (start here) installs what must exist before any `conftest.py`.  `loaded_modules`
and `filtered_warnings` undo earlier imports.  `overlooked` collects test modules that pytest skips.

Imports `bridge.command_line`, `bridge.internals` and `bridge.island_processes`.

Where to find a decision:

- what is installed before the first `conftest.py`: `instrumentation`
- what happens to modules that a plugin has imported too early: `loaded_modules`
- which test modules are collected although pytest skips them: `overlooked`
- how long waits take until the application is there: `starting_waits`
- where instrumented code is kept between runs: `code_folder`
- why pytest rewrites no module of this plugin: `own_modules`
"""

from __future__ import annotations
