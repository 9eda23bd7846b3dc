"""What happens when modules are imported: our own, instrumented ones, those that came too early.

`instrumentation` installs what has to be there before any `conftest.py`; `loaded_modules` and
`filtered_warnings` undo imports that came before it; `overlooked` collects test modules that pytest
passes by.

Imports `bridge.command_line`, `bridge.internals` and `bridge.island_processes`.
"""

from __future__ import annotations
