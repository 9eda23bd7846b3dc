"""From the archive to the tests worth writing: chosen, reduced, made readable, repeated.

Every individual of the archive is executed again with all probes on.  Each pair of individual and
call is a candidate: the call is the act, and the calls before it arrange.  A greedy set cover picks
few and short candidates.  Each one is cut after its act.  It is minimised as long as the act keeps
the targets that it is chosen for.

Keys of one session are fetched from the call that returns them (`arranging.fetched_keys`).  Tokens
of another test are issued again (`arranging.reissued_tokens`).  Then the test is repeated under
other circumstances; what differs is not asserted.

Start at `harvesting`.  May import everything below rank 6, but neither pytest nor Flask; only
`engine` imports it.

Where to find a decision:

- which tests are worth writing: `harvesting`; which candidates there are, `candidate_tests`; which
  test is chosen for which target, `duties`
- what a harvest knows before it begins, and how long it may take: `background`
- how a test gets simple, and how long that may take: `reduction`, `allotment`
- why a target got no test: `losses`, `obstacles`
- which tests were minimised before: `finished_tests`
- how tests prepare what they need: `arranging`
- which facts are asserted because they detect a small change: `telling_facts`
- which tests say too little to be kept, or repeat others: `worth`; which faults have tests,
  `worthy_faults`
- which part of a request decides about its answer: `proving`
- which numbers and texts tests contain: `telling_numbers`, `readable_texts`, `boundaries`,
  `quantities`
- how often a test is repeated, and under which clock: `instability`; its result, `specimens`
- what a test shows by reading afterwards: `aftermath`, `habits`
- which tests of units are worth writing: `units`
- what tests can rely on where nothing restores the state: `permanence`
"""

from __future__ import annotations
