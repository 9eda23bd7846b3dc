"""Calls before the act of a test: how it gets the rows, keys, tokens and ids that it needs.

Each module proposes another form of these calls.  `harvest.reduction` executes the new form, and
keeps it where the act has its old result.

Start at `made_rows`.  Imports nothing else of `harvest`; `harvest` and `engine.phases` import it.

Where to find a decision:

- which calls create the rows that a test would put into tables: `made_rows`
- which keys are fetched, and which tokens are issued again: `fetched_keys`, `reissued_tokens`
- how calls that only prepare are sent: `served_calls`
- which links a reader would not follow: `cut_links`
- which calls and inputs change nothing in the answer: `vain_parts`
"""

from __future__ import annotations
