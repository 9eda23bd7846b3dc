"""Executes individuals: the only room where application, probes and oracles meet.

May import everything below rank 5; never pytest.

Where to find a decision:

- how a test is executed: `local_executor`; how one call is sent: `call_sending`, `transport`
- what came of it as scores: `judging`
- where an exception was raised, and which it is: `crash`
- how long a call may take: `guard`; whose seconds count, `core.own_time`
- what of the process comes back after each call: `process_state`, `descriptors`, `memory`,
  `threads`
- which processes and threads calls leave running: `offspring`, `started_work`
- which failures without an answer are reported: `hidden_failures`
- how long a nap of a handler lasts: `sleep`
- what tests find and leave on a server: `residue`
- how often and how a test is repeated: `repetitions`, `harvest.instability`
- which call a crash belongs to: `current_call`
- how requests are signed as they are sent: `signing`
"""

from __future__ import annotations
