"""What happens when modules are imported: our own, instrumented ones, those that came too early.

`instrumentation` installs what has to be there before any `conftest.py`; `loaded_modules` and
`filtered_warnings` undo imports that came before it; `overlooked` collects test modules that pytest
passes by.

Imports `bridge.command_line`, `bridge.internals` and `bridge.island_processes`.

Where to find a decision:

- what is installed before the first `conftest.py`: `instrumentation`
- what happens to modules that a plugin has imported too early: `loaded_modules`
- which test modules are collected although pytest passes them by: `overlooked`
- where instrumented code is kept between runs: `code_folder`
- why pytest rewrites none of our own modules: `own_modules`
"""

from __future__ import annotations
