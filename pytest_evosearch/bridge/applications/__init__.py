"""Where the application comes from: fixtures, test cases, discovery, or a running server.

`bridge.pytest_host` asks them in order: `fixtures` (by the type of their value), `borrowing` and
`unittest_case` (what only test modules prepare), `standalone` (without fixtures), `outside` (a
server).

Imports `bridge.internals` only.
"""

from __future__ import annotations
