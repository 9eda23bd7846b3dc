"""Executes each test in a forked process, where nothing else brings the state back.

`forks` is the parent's side, `fork_server` the copy and its children; `channel` carries messages
that `portable` has made fit for it.  `engine.fork_fallback` decides when.  `separation` executes
there only what may not come back.

Imports `execution.local_executor` and what it needs; only `engine` imports this package.
"""

from __future__ import annotations
