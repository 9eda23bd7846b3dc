"""Executes each test in a forked process, where nothing else restores the state.

Start at `forks`, the parent's side.  `fork_server` is the copy of the process with its children.
`channel` carries messages, which `portable` converts for it.  `separation` executes only tests
there that may not return; `pools` gives each child its own process pools.  `engine.fork_fallback`
decides when forks are used.

Imports `execution.local_executor` and what it needs; `engine` and `bridge` import this package.
"""

from __future__ import annotations
