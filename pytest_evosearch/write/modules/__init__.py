"""Whole modules: their text, their files, and what people have made of them since.

Imports `naming` and `content`.  Start at `suite_assembly`.

Where to find a decision:

- which tests belong to people: `ledger`; what a hook did to modules, `modification`
- which fixtures are parameters: `printing`; what tests of a module do first together,
  `shared_openings`
"""

from __future__ import annotations
