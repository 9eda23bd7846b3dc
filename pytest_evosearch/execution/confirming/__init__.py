"""Keeps what recording objects show apart from what a user's application does.

Start at `recorded_calls`.  Imports `problem` and `core`; only the other modules of `execution`
import it.

Where to find a decision:

- which calls give their handlers recording objects: `recorded_calls`
- when two executions of a test count as alike: `resemblance`
"""

from __future__ import annotations
