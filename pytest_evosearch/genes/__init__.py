"""Typed gene trees: values that know their type, their constraints and how to vary.

Usable alone: a gene knows nothing of HTTP, Flask or a search.  May import `core` and
`errors` only.  Genes are immutable; every operation returns a new tree that shares what
did not change, so individuals in an archive can never be spoilt by a later mutation.

Where to find a decision:

- how a value varies and gets simpler: `base` (the contract), one module for each type
- which gene a value that was seen gets, and how two genes become one: `inference`
- which wrong values are made on purpose: `wrong`
- whether a token that was seen ends some day: `web_tokens`
"""

from __future__ import annotations
