"""Judges of what was exchanged: each finding is a fault with a stable code.

An oracle is a pure function of an exchange.  May import `problem`, `settings`, `core`,
`errors`; knows neither the search nor the writer.

Where to find a decision:

- which oracles exist, and which are on: `named_oracles`; for users, docs/oracles.md
- when a missing service explains an error: `server_error.lacks_service`
"""

from __future__ import annotations
