"""Makes tests short and suites small without losing a target.

Works on evaluations through callables that it is handed; never executes by itself.  May
import `problem`, `genes`, `settings`, `core`, `errors`.

Where to find a decision:

- what is tried first, even when no time is left: `cores`
- how a test gets shorter: `shortening`; which few tests cover everything, `set_cover`
- which simpler values are not tried again: `failed_variants`
- what is left out at once because other tests could do without it: `spare_inputs`
"""

from __future__ import annotations
