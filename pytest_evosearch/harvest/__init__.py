"""From the archive to the tests worth writing: chosen, reduced, made readable, repeated.

Every individual of the archive is executed again with all probes armed, call by call.  Each pair of
individual and call is a candidate: the call is the act, what comes before it arranges.  A greedy
set cover picks few and short candidates.  Each is cut after its act and minimised while the act
keeps the targets that it answers for.  Keys that were drawn for this session are fetched from the
call that hands them out (`arranging.fetched_keys`), tokens of another test are issued again
(`arranging.reissued_tokens`).  Then it is repeated under other circumstances; what differs is not
asserted.

May import everything below rank 6; never pytest or Flask.

Where to find a decision:

- which tests are worth writing: `harvesting`; what is looked at for them, `candidate_tests`; which
  test answers for which target, `duties`
- what a harvest knows before it begins, and how long it may take: `background`
- how a test gets simple, and how long that may take: `reduction`, `allotment`; why none was made,
  `losses`, `obstacles`
- what tests came down to that were minimised before: `finished_tests`
- how tests prepare what they need: `arranging`
- which numbers and texts stand in tests: `telling_numbers`, `readable_texts`, `boundaries`,
  `quantities`
- how often a test is repeated, and under which clock: `instability`; what becomes of it then,
  `specimens`
- what is shown by reading afterwards: `aftermath`, `habits`
- what tests can count on where nothing brings the state back: `permanence`
"""

from __future__ import annotations
