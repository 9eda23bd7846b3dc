"""Writes tests of units as pytest modules, and keeps those that hold.

Start at `unit_suite`.  Imports `problem.units`, `write.code`, `write.content`, `write.modules`,
`write.stage` and `write.verification`; `harvest` and `engine` import it.

Where to find a decision:

- what a test calls: `arranged_units`; what it asserts: `unit_functions`, of one value
  `unit_expectations`; how it is named: `unit_names`
- which tests become one table: `unit_tables`
- how a test states a relation between units: `related_units`
- how a value is written as code, and what it imports: `spelled_values`
- how a suite is written and verified: `unit_suite`
"""

from __future__ import annotations
