"""What stands before the act of a test: how it gets the rows, keys, tokens and ids that it needs.

Each module here proposes another form of the calls that arrange; `harvest.reduction` executes it
and keeps it where the act does the same.

Imported by `harvest` only; imports nothing of it.

Where to find a decision:

- which calls make what a test would put into tables: `made_rows`
- which keys are fetched, which tokens issued anew: `fetched_keys`, `reissued_tokens`
- how calls are sent that only prepare: `served_calls`
- which links a reader would not follow: `cut_links`
"""

from __future__ import annotations
