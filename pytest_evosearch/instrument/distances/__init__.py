"""How near values are to what a condition needs, as scores between 0 and 1.

Pure functions.  Start at `distance`, which compares operands.  `predicates` compares texts,
`pattern_distance` a text with a regular expression.

Imports `core` only; `probing`, `transformation` and packages above `instrument` import it.
"""

from __future__ import annotations
