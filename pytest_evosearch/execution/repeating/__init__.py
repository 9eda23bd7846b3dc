"""Finds out which responses hold elsewhere, and which differ when a test is executed again.

Start at `recollection`.  Imports nothing else of `execution`; only `execution` imports it.

Where to find a decision:

- how the application seems to run on another machine while a test is repeated: `elsewhere`
- which tests of a search had several outcomes: `recollection`
"""

from __future__ import annotations
