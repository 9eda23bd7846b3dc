"""Oracles judge exchanges of requests and responses; each finding is a fault with a stable code.

An oracle is a pure function of exchanges.  Start at `oracle`, the interface of every oracle.
Imports `problem`, `settings`, `core` and `errors`; `execution`, `harvest`, `engine` and `bridge`
import it.

Where to find a decision:

- which oracles exist, and which are on: `named_oracles`; for users, docs/oracles.md
- when a missing service explains an error: `server_error.lacks_service`
"""

from __future__ import annotations
