"""How near values are to what a condition asks of them, as scores between 0 and 1.

Pure functions.  `distance` compares operands, `predicates` texts, `pattern_distance` a text and a
regular expression.

Imports nothing of `instrument`.
"""

from __future__ import annotations
