"""Tells which answers hold elsewhere, and which differed when the same test was executed again.

May import what `execution` may, and nothing else of `execution`.

Where to find a decision:

- what the application sees of another machine while a test is repeated: `elsewhere`
- which identities of objects (`id()`) a test asks for: `identities`
- which tests of a search had several outcomes: `recollection`
"""

from __future__ import annotations
