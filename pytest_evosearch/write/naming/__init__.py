"""What tests are called, and which stand together: names, rows, tables, the plan of a suite.

Imports `content`.  Start at `candidates`.

Where to find a decision:

- which names a test may get: `candidates`; what it is about, `stories`; which one it gets,
  `name_choice`
- what is special about a request: `condition_choice` weighs it, by `proven_conditions`
- what differs from other calls: `comparison`; which input and how, `culprits`; of a whole body,
  `whole_bodies`
- who asks, `caller_words`; the outcome, `outcome_words`
- what a crash blames: `blame`; which credentials are missing, `refused_credentials`; what is taken,
  `conflicts`
- what the code decided only there: `decisive_inputs`
- which tests are rows of one table, and which show one refusal at many addresses: `grouping`;
  which modules are divided, `suite_plan`
- how names change after verification: `suite_names`
"""

from __future__ import annotations
