"""Which part of a request decides about its answer, as executions of repaired tests show.

Start at `decisive`.  Only `betterment` imports other parts of `harvest`; `harvest` imports it.

Where to find a decision:

- which parts are repaired, and when a repair proves a cause: `decisive`
- what one executed repair shows: `executed_repairs`
- which executed calls are models for others: `known_calls`
- which better forms a test may have, and with which effect: `improvements`
- in which order tests are improved: `betterment`
- which fields a form has on its page: `page_forms`
- which tokens of pages forms lack: `handed_out`
- which rows nothing has stored: `missing_rows`
- how one part is put back to a good value: `repairs`
- which values hardly any client sends: `ordinary_values`
- which answers are refused, alike, or special: `compared_answers`
"""

from __future__ import annotations
