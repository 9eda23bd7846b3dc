"""Typed gene trees: values that know their type, their constraints and how to vary.

Start at `base`.  Imports `core` and `errors` only, and knows nothing of HTTP, Flask or a search.
Genes are immutable: every operation returns a new tree, which shares the unchanged parts.  So a
later mutation cannot change an individual in an archive.

Where to find a decision:

- how a value varies and gets simpler: `base` (the contract), one module for each type
- which gene an observed value gets, and how two genes become one: `inference`
- which values only code can make, and how they are made: `constructed`
- which wrong values are made on purpose: `wrong`
- whether a token that was seen ends some day: `web_tokens`
"""

from __future__ import annotations
