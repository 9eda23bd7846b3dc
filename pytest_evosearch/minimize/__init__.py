"""Makes tests short and suites small without losing a target.

Start at `shortening`.  It gets functions that evaluate tests, and executes nothing itself.  Imports
`problem`, `genes`, `settings`, `core` and `errors`; `harvest` and `engine` import it.

Where to find a decision:

- what is tried first, even when no time is left: `cores`
- how a test gets shorter: `shortening`; what was tried for that, `reducing`; which few tests
  cover everything, `set_cover`
- how any kind of test gets simpler, if it has genes at places: `reducible`
- which values stand in for the smallest ones: `ordinary`
- which simpler values are not tried again: `failed_variants`
- what is left out at once because other tests did not need it: `spare_inputs`; which parts a
  request may omit, `pieces`
"""

from __future__ import annotations
