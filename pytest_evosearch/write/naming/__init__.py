"""Names and grouping of tests: names, rows, tables, the plan of a suite.

Start at `candidates`.  Imports `content` and `answers`; `modules`, `updating` and `write.writer`
import it.

Where to find a decision:

- which names a test may get: `candidates`; what it is about, `stories`; which name it gets,
  `name_choice`
- what is special about a request: `proven_conditions`, from what `harvest.proving` has proven
- who sends the request: `caller_words`, with `caller_credentials`; the outcome, `outcome_words`
- which tests are rows of one table, and which show one refusal at many addresses: `grouping`; which
  modules are divided, `suite_plan`
- how names change after verification: `suite_names`
"""

from __future__ import annotations
