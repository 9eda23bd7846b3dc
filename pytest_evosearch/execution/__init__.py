"""Executes individuals: application, probes and oracles meet only here.

Start at `local_executor`.  May import everything below rank 5, but not pytest; `harvest`, `engine`
and `bridge` import it.

Where to find a decision:

- how a test is executed: `local_executor`; how one call is sent: `call_sending`, `transport`
- what came of it as scores: `judging`
- where an exception was raised, and which it is: `crash`
- how long a call may take: `guard`; whose seconds count, `core.own_time`
- what is restored in the process after each call: `process_state`, `descriptors`, `memory`,
  `threads`
- which processes and threads calls leave running: `offspring`, `started_work`
- which failures are reported although no response shows them: `hidden_failures`
- how long a handler may sleep: `sleep`
- what tests find and leave on a server: `residue`
- what recording objects show, and what counts: `confirming`
- how often and how a test is repeated: `repetitions`, `harvest.instability`
- which call a crash belongs to: `current_call`
- which small changes of the application are tried: `mutating`
- how requests are signed when they are sent: `signing`
"""

from __future__ import annotations
