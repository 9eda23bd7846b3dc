"""Finds out which responses hold elsewhere, and which differ when a test is executed again.

Start at `recollection`.  Imports nothing else of `execution`; only `execution` imports it.

Where to find a decision:

- what the application sees of another machine while a test is repeated: `elsewhere`
- which identities of objects (`id()`) a test asks for: `identities`
- which tests of a search had several outcomes: `recollection`
"""

from __future__ import annotations
