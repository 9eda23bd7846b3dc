"""Names and grouping of tests: names, rows, tables, the plan of a suite.

Start at `candidates`.  Imports `content` and `answers`; `modules`, `updating` and `write.writer`
import it.

Where to find a decision:

- which names a test may get: `candidates`; what it is about, `stories`; which name it gets,
  `name_choice`
- what is special about a request: `condition_choice` weighs it, with `proven_conditions`
- what differs from other calls: `comparison`; which input and how, `culprits`; in a whole body,
  `whole_bodies`
- who sends the request: `caller_words`; the outcome, `outcome_words`
- which header of a condition failed or is missing: `preconditions`
- what a crash blames: `blame`; which credentials are missing, `refused_credentials`; which value
  exists already, `conflicts`
- which inputs decided a condition in this test alone: `decisive_inputs`
- which tests are rows of one table, and which show one refusal at many addresses: `grouping`; which
  modules are divided, `suite_plan`
- how names change after verification: `suite_names`
"""

from __future__ import annotations
